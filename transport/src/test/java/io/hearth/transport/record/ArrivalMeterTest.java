package io.hearth.transport.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.Arrivals;
import org.junit.jupiter.api.Test;

final class ArrivalMeterTest {
    private static final int LARGE = 4 * ArrivalMeter.LARGE_BYTES;

    private final ArrivalMeter meter = new ArrivalMeter();

    private void record(int missing, int... emptiedAt) {
        meter.reads(missing);
        for (int there : emptiedAt) {
            meter.emptied(there);
        }
        meter.completed(missing);
        meter.arrived(missing);
    }

    @Test
    void bytesAfterTheFirstEmptySocketWaitedForTheNetwork() {
        record(LARGE, 1_000, 60_000);
        assertEquals(LARGE - 1_000, meter.total().wireBytes());
        assertEquals(LARGE, meter.total().bytes());
        assertTrue(meter.total().wireNanos() > 0);
        record(LARGE, LARGE - 5);
        assertEquals(LARGE - 1_000 + 5, meter.total().wireBytes());
    }

    @Test
    void aRecordThatIsThereAtOnceSaysNothing() {
        record(LARGE);
        assertEquals(new Arrivals(LARGE, 0, 0, 0), meter.total());
    }

    @Test
    void aSmallRecordSaysNothing() {
        record(ArrivalMeter.LARGE_BYTES - 1, 10);
        assertEquals(new Arrivals(ArrivalMeter.LARGE_BYTES - 1, 0, 0, 0), meter.total());
    }

    @Test
    void silenceCountsAfterALargeRecordOnly() {
        assertEquals(0, meter.awaits(), "before the first record");
        record(100);
        assertEquals(0, meter.awaits());
        record(LARGE);
        long since = meter.awaits();
        assertNotEquals(0, since);
        meter.began(since);
        assertTrue(meter.total().silentNanos() > 0);
    }

    @Test
    void countersAreNotNegative() {
        assertThrows(IllegalArgumentException.class, () -> new Arrivals(0, 0, -1, 0));
    }
}
