package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WarmUpTest {
    /** Number of calls of a warm-up if each takes {@code nanosEach} and the compiler is busy for the first {@code busyNanos}. */
    private static int calls(long vectorBytes, long nanosEach, long busyNanos) {
        int done = 0;
        for (int next = WarmUp.USUAL.next(vectorBytes, done, 0, busyNanos > 0);
                next > 0;
                next = WarmUp.USUAL.next(vectorBytes, done, done * nanosEach, done * nanosEach < busyNanos)) {
            done += next;
        }
        return done;
    }

    private static int calls(long vectorBytes, long nanosEach) {
        return calls(vectorBytes, nanosEach, 0);
    }

    @ParameterizedTest
    @CsvSource({"4096, 20000", "262144, 4096", "67108864, 16", "2147483644, 3"})
    void fastCallsEndByTheirNumber(long bytes, int calls) {
        assertEquals(calls, calls(bytes, 1));
    }

    @ParameterizedTest
    @CsvSource({"1, 16", "67108864, 16", "268435456, 4", "2147483644, 0"})
    void recordingIsWarmedUpByFewCallsAndFewBytes(long bytes, int calls) {
        assertEquals(calls, WarmUp.USUAL.recordedCalls(bytes));
    }

    @Test
    void slowCallsEndByTheirTime() {
        int calls = calls(4096, 1_000_000);
        assertTrue(calls >= 5_000 && calls <= 6_250, () -> calls + " calls of 1 ms");
        assertEquals(WarmUp.CALLS_MIN, calls(4096, 10_000_000_000L));
    }

    @Test
    void aBusyCompilerIsWaitedForButNotForEver() {
        int calls = calls(4096, 1_000_000, 12_000_000_000L);
        assertTrue(calls >= 12_000 && calls <= 15_000, () -> calls + " calls of 1 ms, 12 s busy");
        int most = calls(4096, 1_000_000, Long.MAX_VALUE);
        assertTrue(most >= 30_000 && most <= 37_500, () -> most + " calls of 1 ms, busy for ever");
    }
}
