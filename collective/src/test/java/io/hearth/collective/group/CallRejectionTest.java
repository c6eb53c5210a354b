package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.collective.group.CallRejection.Cause;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CallRejectionTest {
    @Test
    void eachCauseHasTheNumberThatOtherLanguagesKnow() {
        var numbers = new EnumMap<Cause, Integer>(Cause.class);
        for (Cause cause : Cause.values()) {
            var error = new CallRejection(cause, "rank 1: text").toException();
            assertEquals("rank 1: text", error.getMessage());
            numbers.put(cause, error.number());
        }
        assertEquals(
                Map.of(
                        Cause.MISMATCH,
                        3,
                        Cause.PEER_LOST,
                        10,
                        Cause.ROOT_LOST,
                        10,
                        Cause.NON_FINITE,
                        14,
                        Cause.MALFORMED,
                        2,
                        Cause.START_MET_STEP,
                        2),
                numbers);
    }
}
