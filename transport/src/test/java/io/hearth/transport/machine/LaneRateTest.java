package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

final class LaneRateTest {
    private static final long MILLI = 1_000_000L;
    private static final int SIZE = 125_000; // 1 ms at 1 Gbit/s

    private final LaneRate rate = new LaneRate();
    private long now;
    private long delivered; // when the link has delivered all that it got

    private record Flight(LaneRate.Mark mark, long leftNanos, long deliveredNanos) {}

    /** Keeps {@code window} records under way for a time; the peer acknowledges what it has each {@code everyNanos}. */
    private void run(long forNanos, int window, double bytesPerSecond, long everyNanos, boolean isLoaded) {
        var flights = new ArrayDeque<Flight>();
        for (long end = now + forNanos; now < end; now += MILLI / 10) {
            while (flights.size() < window) {
                LaneRate.Mark mark = rate.mark(flights.isEmpty(), now);
                delivered = Math.max(delivered, now) + (long) (SIZE / bytesPerSecond * 1e9);
                flights.add(new Flight(mark, now, delivered));
            }
            while (now % everyNanos == 0
                    && !flights.isEmpty()
                    && flights.getFirst().deliveredNanos() <= now) {
                Flight landed = flights.removeFirst();
                rate.arrived(landed.mark(), SIZE, landed.leftNanos(), isLoaded, now);
            }
        }
    }

    private long megabytesPerSecond() {
        return Math.round(rate.bytesPerSecond() / 1e6);
    }

    private void assertNear(long expected) {
        assertTrue(
                Math.abs(megabytesPerSecond() - expected) <= expected / 10,
                megabytesPerSecond() + " MB/s where the link has " + expected);
    }

    @Test
    void acknowledgementsInBunchesShowTheRateOfTheLink() {
        for (long every = MILLI / 10; every <= 10 * MILLI; every *= 10) {
            run(1_000 * MILLI, 20, 125e6, every, true);
            assertNear(125);
        }
    }

    @Test
    void aLinkThatBecomesSlowIsKnownAfterHalfASecond() {
        run(1_000 * MILLI, 20, 125e6, MILLI, true);
        run(600 * MILLI, 20, 12.5e6, MILLI, true);
        assertTrue(megabytesPerSecond() <= 20, megabytesPerSecond() + " MB/s");
        run(300 * MILLI, 20, 125e6, MILLI, true);
        assertNear(125);
    }

    @Test
    void aSenderWithLittleToSendNeverLowersTheRate() {
        run(1_000 * MILLI, 20, 125e6, MILLI, true);
        run(2_000 * MILLI, 1, 125e6, 5 * MILLI, false);
        assertNear(125);
    }

    @Test
    void aSenderWithLittleToSendShowsNoRateAtFirst() {
        run(1_000 * MILLI, 1, 125e6, MILLI, false);
        assertEquals(0, rate.bytesPerSecond());
    }
}
