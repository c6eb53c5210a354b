package io.hearth.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class LeastRoundTripTest {
    private static final long HALF = LeastRoundTrip.HALF_NANOS;

    @Test
    void theShortestOfTheLastHalfToWholeMinuteCounts() {
        LeastRoundTrip least = LeastRoundTrip.first(900, 0).with(300, 1).with(5_000, 2);
        assertEquals(300, least.nanos());
        least = least.with(4_000, HALF);
        assertEquals(300, least.nanos(), "of the half minute before");
        least = least.with(3_000, 2 * HALF - 1);
        assertEquals(300, least.nanos());
        least = least.with(3_500, 2 * HALF);
        assertEquals(3_000, least.nanos(), "the link became longer");
    }

    @Test
    void afterAPauseOnlyNewRoundTripsCount() {
        assertEquals(700, LeastRoundTrip.first(300, 0).with(700, 2 * HALF).nanos());
        assertEquals(300, LeastRoundTrip.first(300, -5).with(700, 2 * HALF - 6).nanos());
    }

    @Test
    void aRoundTripIsAboveZero() {
        assertEquals(1, LeastRoundTrip.first(0, 0).nanos());
        assertThrows(IllegalArgumentException.class, () -> new LeastRoundTrip(0, 1, 0));
    }
}
