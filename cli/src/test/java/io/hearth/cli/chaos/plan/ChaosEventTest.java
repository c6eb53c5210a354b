package io.hearth.cli.chaos.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChaosEventTest {
    private static void survives(ChaosEvent event) {
        assertEquals(Optional.of(event), ChaosEvent.parse(event.toLine()));
    }

    @Test
    void whatIsToldIsRead() {
        survives(new ChaosEvent.Begun(-5, 7, 2, 5, true, "00ff"));
        survives(new ChaosEvent.Summed(Long.MAX_VALUE, 8, 4, ChaosEvent.UNKNOWN));
        survives(new ChaosEvent.Removed(1, "the others went on without this node"));
        survives(new ChaosEvent.Failed(2, "no result: why; what to do"));
        survives(new ChaosEvent.Ended(3, 9, "00ff"));
    }

    @Test
    void aReasonOfManyLinesIsOneLine() {
        assertEquals("removed 1 first second", new ChaosEvent.Removed(1, "first\n\tsecond").toLine());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "begun",
                "begun ",
                "begun 1 2 3",
                "begun 1 2 3 four true x",
                "summed 1 2",
                "summed 99999999999999999999 2 3 -",
                "removed",
                "ended 1",
                "Full thread dump OpenJDK",
            })
    void everythingElseIsNoEvent(String line) {
        assertEquals(Optional.empty(), ChaosEvent.parse(line));
    }

    @Test
    void anEndlessLineIsNoEvent() {
        assertEquals(Optional.empty(), ChaosEvent.parse("removed 1 " + "x".repeat(ChaosEvent.LENGTH_MAX)));
    }
}
