package io.hearth.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.topology.NodeLoad.Battery;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LoadUpdatesTest {
    @ParameterizedTest
    @CsvSource({
        "10, 10, false",
        "10, 29, false",
        "10, 30, true",
        "30, 10, true",
        "400, 499, false",
        "400, 500, true",
        "400, 300, true",
        "-1, 0, true",
        "0, -1, true",
        "-1, -1, false"
    })
    void stepsOfTheLoadThatCount(int former, int newest, boolean expected) {
        assertEquals(
                expected,
                LoadUpdates.isNotable(new NodeLoad(former, Optional.empty()), new NodeLoad(newest, Optional.empty())));
    }

    /** A charge of -1 stands for no battery. */
    @ParameterizedTest
    @CsvSource({
        "80, true, 80, true, false",
        "80, true, 76, true, false",
        "80, true, 75, true, true",
        "80, true, 85, true, true",
        "80, true, 80, false, true",
        "80, false, -1, false, true",
        "-1, false, 80, false, true",
        "-1, false, -1, false, false"
    })
    void stepsOfTheBatteryThatCount(int former, boolean wasOnMains, int newest, boolean isOnMains, boolean expected) {
        assertEquals(expected, LoadUpdates.isNotable(load(former, wasOnMains), load(newest, isOnMains)));
    }

    private static NodeLoad load(int charge, boolean isOnMains) {
        return new NodeLoad(50, charge < 0 ? Optional.empty() : Optional.of(new Battery(charge, isOnMains)));
    }

    @Test
    void aChangeWaitsForTheEndOfTheGap() {
        long sent = Long.MAX_VALUE - 7; // the clock wraps
        assertFalse(LoadUpdates.isDue(load(80, true), sent, load(20, false), sent + LoadUpdates.GAP_NANOS - 1));
        assertTrue(LoadUpdates.isDue(load(80, true), sent, load(20, false), sent + LoadUpdates.GAP_NANOS));
        assertFalse(LoadUpdates.isDue(load(80, true), sent, load(80, true), sent + 10 * LoadUpdates.GAP_NANOS));
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new NodeLoad(-2, Optional.empty()));
        assertThrows(IllegalArgumentException.class, () -> new NodeLoad(NodeLoad.PERCENT_MAX + 1, Optional.empty()));
        assertThrows(IllegalArgumentException.class, () -> new Battery(-1, true));
        assertThrows(IllegalArgumentException.class, () -> new Battery(101, true));
    }
}
