package io.hearth.collective.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a member remembers of how long sums took. */
final class SumTimesTest {
    private final SumTimes times = new SumTimes(1);

    @Test
    void theFirstSumsSayNothingYet() {
        for (int i = 0; i < SumTimes.SEEN_MIN; i++) {
            assertTrue(Double.isNaN(times.nanos(0)), "after " + i);
            times.took(0, 60 - 10 * i);
        }
        assertEquals(30, times.nanos(0));
        assertEquals(List.of(30.0, Double.NaN), times.nanos());
    }

    @Test
    void theShortestOfTheLastFewCounts() {
        times.took(1, 10);
        for (int i = 0; i < SumTimes.WINDOW; i++) {
            times.took(1, 50 + i);
        }
        assertEquals(50, times.nanos(1));
    }

    @Test
    void forgottenIsForgotten() {
        for (int i = 0; i < SumTimes.WINDOW; i++) {
            times.took(0, 10);
        }
        times.forget();
        for (int i = 0; i < SumTimes.SEEN_MIN; i++) {
            assertTrue(Double.isNaN(times.nanos(0)));
            times.took(0, 20 + i);
        }
        assertEquals(20, times.nanos(0));
    }
}
