package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs a train over a simulated link in virtual time. */
final class TrainTest {
    private static final double NANOS = 1e9;

    /** Bytes that the shaper of an idle link lets through at once. */
    private static final long BURST_BYTES = 62_000;

    private record Outcome(OptionalLong bytesPerSecond, double lastedNanos, long bytes, long mostUnderWay) {}

    /** The receiver acknowledges at once; both directions take half of the round trip. */
    private static Outcome over(double bytesPerSecond, long roundTripNanos, long jitterNanos) {
        var train = new Train(0, roundTripNanos);
        var meter = new TrainMeter();
        var acknowledgements = new ArrayDeque<double[]>(); // time, bytes
        double now = 0;
        double portFree = -BURST_BYTES / bytesPerSecond * NANOS; // the burst is credit of time
        long sent = 0;
        long known = 0;
        long mostUnderWay = 0;
        while (true) {
            while (!acknowledgements.isEmpty() && acknowledgements.peek()[0] <= now) {
                known = (long) acknowledgements.remove()[1];
                train.acknowledged(known, (long) now);
            }
            Train.Next next = train.next((long) now);
            if (next == Train.Next.END) {
                return new Outcome(meter.bytesPerSecond(), now, sent, mostUnderWay);
            }
            if (next == Train.Next.WAIT) {
                now = Math.max(now, acknowledgements.element()[0]);
                continue;
            }
            train.sends((long) now);
            now += 5_000; // processor time of a record
            sent += Train.RECORD_BYTES;
            mostUnderWay = Math.max(mostUnderWay, sent - known);
            portFree = Math.max(portFree, now - BURST_BYTES / bytesPerSecond * NANOS)
                    + Train.RECORD_BYTES / bytesPerSecond * NANOS;
            double arrives = Math.max(now, portFree) + roundTripNanos / 2.0 + sent * 7919 % (jitterNanos + 1);
            acknowledgements.add(
                    new double[] {arrives + roundTripNanos / 2.0, meter.arrived((long) arrives, Train.RECORD_BYTES)});
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0.1",
        "1, 20",
        "6, 2",
        "12.5, 0.05",
        "12.5, 20",
        "125, 0.05",
        "125, 0.5",
        "125, 5",
        "312, 0.2",
        "1250, 0.05"
    })
    void theRateOfALinkIsMeasuredWithinFivePercent(double megabytesPerSecond, double roundTripMillis) {
        var outcome = over(megabytesPerSecond * 1e6, (long) (roundTripMillis * 1e6), 20_000);
        double measured = outcome.bytesPerSecond().orElseThrow() / 1e6;
        assertEquals(megabytesPerSecond, measured, megabytesPerSecond * 0.05);
    }

    @Test
    void aTrainOverASlowLinkIsShort() {
        var outcome = over(1e6, 1_000_000, 0);
        assertTrue(outcome.lastedNanos() <= 1.2 * Train.NANOS_LONG, () -> "lasted " + outcome.lastedNanos() + " ns");
        assertTrue(outcome.bytes() < 2 * Train.BYTES_OF_LONG_MIN, () -> "sent " + outcome.bytes());
        var slower = over(0.1e6, 1_000_000, 0);
        assertTrue(slower.lastedNanos() <= 2.0 * Train.NANOS_MAX, () -> "lasted " + slower.lastedNanos() + " ns");
    }

    @Test
    void aTrainOverAFastLinkHasABound() {
        var outcome = over(20e9, 20_000, 0);
        assertTrue(outcome.bytes() <= Train.BYTES_MAX + Train.RECORD_BYTES, () -> "sent " + outcome.bytes());
    }

    @Test
    void theBytesUnderWayHaveABound() {
        var outcome = over(1e9, 50_000_000, 0);
        assertTrue(outcome.mostUnderWay() <= Train.WINDOW_BYTES_MAX, () -> outcome.mostUnderWay() + " under way");
    }

    @Test
    void aTrainWithFewRecordsHasNoRate() {
        var meter = new TrainMeter();
        for (int i = 0; i < 5; i++) {
            meter.arrived(i, Train.RECORD_BYTES);
        }
        assertEquals(OptionalLong.empty(), meter.bytesPerSecond());
    }

    @Test
    void recordsThatArriveAtOnceHaveNoRate() {
        var meter = new TrainMeter();
        for (int i = 0; i < 2_000; i++) {
            meter.arrived(7, Train.RECORD_BYTES);
        }
        assertEquals(OptionalLong.empty(), meter.bytesPerSecond());
    }

    @Test
    void aClaimIsBelievedUpToThreeTimesTheMean() {
        var train = new Train(0, 0);
        for (int record = 1; record <= 4; record++) {
            train.sends(0);
            train.acknowledged((long) record * Train.RECORD_BYTES, record);
        }
        long mean = 4L * Train.RECORD_BYTES; // per second
        assertEquals(2 * mean, train.believed(2 * mean, 1_000_000_000));
        assertEquals(3 * mean, train.believed(Long.MAX_VALUE, 1_000_000_000));
        assertEquals(0, train.believed(0, 1_000_000_000));
        assertEquals(-1, train.believed(-1, 1_000_000_000));
    }

    @Test
    void anAcknowledgementOfBytesThatWereNotSentIsRejected() {
        var train = new Train(0, 0);
        train.sends(0);
        assertThrows(IllegalArgumentException.class, () -> train.acknowledged(2 * Train.RECORD_BYTES, 1));
        assertThrows(IllegalArgumentException.class, () -> train.acknowledged(Train.RECORD_BYTES - 1, 1));
        train.acknowledged(Train.RECORD_BYTES, 1);
        assertThrows(IllegalArgumentException.class, () -> train.acknowledged(0, 1));
    }
}
