package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WarmUpTest {
    /** Calls made when each takes so long. */
    private static int calls(long vectorBytes, long nanosEach) {
        int done = 0;
        for (int next = WarmUp.USUAL.next(vectorBytes, done, 0);
                next > 0;
                next = WarmUp.USUAL.next(vectorBytes, done, done * nanosEach)) {
            done += next;
        }
        return done;
    }

    @ParameterizedTest
    @CsvSource({"4096, 20000", "262144, 4096", "67108864, 16", "2147483644, 3"})
    void fastCallsEndByTheirNumber(long bytes, int calls) {
        assertEquals(calls, calls(bytes, 1));
    }

    @Test
    void slowCallsEndByTheirTime() {
        int calls = calls(4096, 1_000_000);
        assertTrue(calls >= 5_000 && calls <= 6_250, () -> calls + " calls of 1 ms");
        assertEquals(WarmUp.CALLS_MIN, calls(4096, 10_000_000_000L));
    }
}
