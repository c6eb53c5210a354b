package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class IntervalTest {
    @Test
    void theWidthFollowsFromSpreadAndNumber() {
        Interval interval = Interval.of(List.of(1.0, 2.0, 3.0, 4.0));
        assertEquals(2.5, interval.mean());
        assertEquals(3.1824 * Math.sqrt(5.0 / 3 / 4), interval.half(), 1e-4);
        assertEquals(new Interval(7, 0), Interval.of(List.of(7.0, 7.0, 7.0)));
    }

    @Test
    void oneSampleSaysNothingAboutTheSpread() {
        assertEquals(new Interval(7, Double.NaN), Interval.of(List.of(7.0)));
        assertThrows(IllegalArgumentException.class, () -> Interval.of(List.of()));
    }

    /** Checks 4,000 intervals of four samples each. With the factor 1.96 of the normal distribution, 86 % would hold the mean. */
    @Test
    void ninetyFiveOfAHundredIntervalsHoldTheTrueMean() {
        var random = new SplittableRandom(3);
        int hits = 0;
        for (int i = 0; i < 4_000; i++) {
            Interval interval = Interval.of(Stream.generate(() -> 10 + 3 * random.nextGaussian())
                    .limit(4)
                    .toList());
            hits += Math.abs(interval.mean() - 10) <= interval.half() ? 1 : 0;
        }
        assertTrue(hits > 3_740 && hits < 3_860, hits + " of 4000");
    }
}
