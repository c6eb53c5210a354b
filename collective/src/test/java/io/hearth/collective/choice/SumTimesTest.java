package io.hearth.collective.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a member remembers of how long sums took. */
final class SumTimesTest {
    private final SumTimes times = new SumTimes(1);

    @Test
    void oneSumSaysNothingYet() {
        assertTrue(Double.isNaN(times.nanos(0)));
        times.took(0, 100);
        assertTrue(Double.isNaN(times.nanos(0)), "it opened streams");
        times.took(0, 30);
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
        times.took(0, 10);
        times.took(0, 10);
        times.forget();
        assertTrue(Double.isNaN(times.nanos(0)));
        times.took(0, 20);
        assertTrue(Double.isNaN(times.nanos(0)));
        times.took(0, 30);
        assertEquals(20, times.nanos(0));
    }
}
