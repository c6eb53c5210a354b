package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RateEstimateTest {
    private static RateEstimate of(long... samples) {
        var estimate = RateEstimate.NONE;
        for (long sample : samples) {
            estimate = estimate.with(sample);
        }
        return estimate;
    }

    @Test
    void theFirstMeasurementCounts() {
        assertEquals(OptionalLong.empty(), RateEstimate.NONE.rate());
        assertEquals(OptionalLong.of(100), of(100).rate());
    }

    @Test
    void aHigherMeasurementCountsAtOnce() {
        assertEquals(118, of(30, 118).bytesPerSecond());
        assertTrue(of(30, 118).isMuchHigherThan(of(30)));
        assertEquals(1100, of(1000, 1100).bytesPerSecond());
        assertFalse(of(1000, 1100).isMuchHigherThan(of(1000)));
        assertTrue(of(1000).isMuchHigherThan(RateEstimate.NONE));
    }

    @Test
    void aLowerMeasurementMovesTheRateALittle() {
        assertEquals(988, of(1000, 900).bytesPerSecond());
    }

    @Test
    void aMuchLowerMeasurementCountsOnceItIsConfirmed() {
        assertEquals(1000, of(1000, 100).bytesPerSecond());
        assertTrue(of(1000, 100).isDoubtful());
        assertEquals(110, of(1000, 100, 110).bytesPerSecond());
        assertFalse(of(1000, 100, 110).isDoubtful());
    }

    @Test
    void twoLowMeasurementsThatDifferConfirmNothing() {
        assertEquals(1000, of(1000, 100, 400).bytesPerSecond());
        assertEquals(998, of(1000, 100, 980).with(100).bytesPerSecond(), "the doubt is over after a usual one");
    }

    @Test
    void oneMeasurementInThreeByABusyProcessorNeverLowersTheRate() {
        var random = new SplittableRandom(5);
        var estimate = RateEstimate.NONE;
        for (int i = 0; i < 3_000; i++) {
            boolean isBusy = i % 3 == 2;
            estimate = estimate.with(isBusy ? random.nextLong(10, 500) : random.nextLong(950, 1_000));
            if (i > 0) {
                assertTrue(estimate.bytesPerSecond() >= 900, "rate " + estimate + " after " + i);
            }
        }
    }

    @Test
    void aRateBelowZeroIsRejected() {
        assertThrows(IllegalArgumentException.class, () -> new RateEstimate(-1, 0));
    }
}
