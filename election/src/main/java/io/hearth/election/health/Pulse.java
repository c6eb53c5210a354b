package io.hearth.election.health;

import io.hearth.election.Beat;
import java.util.OptionalLong;

/**
 * The heartbeats between this node and one start of a peer.
 *
 * @param sequence of the last heartbeat sent; 0 for none
 * @param sentNanos when the last {@link #SENT_KEPT} were sent, by sequence modulo; replaced, never written
 * @param heardSequence of the newest received heartbeat; 0 for none
 * @param heardNanos when it was received
 * @param lastRttNanos newest round trip
 * @param meanRttNanos smoothed round trip
 * @param jitterNanos smoothed deviation of arrivals from the schedule
 * @param roundTrips all round trips
 * @param silenceNanos the peer's wish in its newest heartbeat; 0 for none
 * @param isScheduled whether the newest heartbeat came while the usual schedule applied, so that the next one's arrival tells of jitter
 */
@SuppressWarnings("ArrayRecordComponent") // never written after construction, never compared
record Pulse(
        long sequence,
        long[] sentNanos,
        long heardSequence,
        long heardNanos,
        OptionalLong lastRttNanos,
        OptionalLong meanRttNanos,
        long jitterNanos,
        RoundTrips roundTrips,
        long silenceNanos,
        boolean isScheduled) {
    static final int SENT_KEPT = 8;
    private static final int SMOOTHING = 8; // RFC 6298 uses 1/8 for the mean

    static Pulse none() {
        return new Pulse(
                0,
                new long[SENT_KEPT],
                0,
                0,
                OptionalLong.empty(),
                OptionalLong.empty(),
                0,
                RoundTrips.none(),
                0,
                false);
    }

    Pulse sent(long now) {
        long[] sent = sentNanos.clone();
        sent[(int) ((sequence + 1) % SENT_KEPT)] = now;
        return new Pulse(
                sequence + 1,
                sent,
                heardSequence,
                heardNanos,
                lastRttNanos,
                meanRttNanos,
                jitterNanos,
                roundTrips,
                silenceNanos,
                isScheduled);
    }

    /**
     * A heartbeat of the peer.
     *
     * @param intervalNanos between heartbeats, by the usual schedule
     * @param schedule whether that applies now: heartbeats of an idle view come when they come
     * @param spanNanos in which the shortest round trip is sought
     */
    Pulse heard(Beat beat, long intervalNanos, boolean schedule, long spanNanos, long now) {
        if (beat.sequence() <= heardSequence) {
            return this; // a duplicate proves nothing about the present
        }
        long jitter = jitterNanos;
        if (heardSequence > 0 && schedule && isScheduled) {
            long expected = intervalNanos * Math.min(beat.sequence() - heardSequence, SENT_KEPT);
            long late = Math.abs(now - heardNanos - expected);
            jitter += (Math.min(late, SENT_KEPT * intervalNanos) - jitter) / SMOOTHING;
        }
        OptionalLong rtt = roundTrip(beat.echo(), beat.echoHeldNanos(), now);
        return new Pulse(
                sequence,
                sentNanos,
                beat.sequence(),
                now,
                rtt.isPresent() ? rtt : lastRttNanos,
                rtt.isPresent() ? OptionalLong.of(smooth(rtt.getAsLong())) : meanRttNanos,
                jitter,
                rtt.isPresent() ? roundTrips.with(rtt.getAsLong(), spanNanos, now) : roundTrips,
                beat.silenceNanos(),
                schedule);
    }

    private long smooth(long rtt) {
        return meanRttNanos.isEmpty() ? rtt : meanRttNanos.getAsLong() + (rtt - meanRttNanos.getAsLong()) / SMOOTHING;
    }

    private OptionalLong roundTrip(long echo, long echoHeldNanos, long now) {
        if (echo < 1 || echo > sequence || sequence - echo >= SENT_KEPT) {
            return OptionalLong.empty();
        }
        long span = now - sentNanos[(int) (echo % SENT_KEPT)];
        return echoHeldNanos > span ? OptionalLong.empty() : OptionalLong.of(span - echoHeldNanos);
    }

    /** Drops measurements that span a local pause. */
    Pulse restarted() {
        return new Pulse(
                sequence + SENT_KEPT,
                new long[SENT_KEPT],
                0,
                0,
                lastRttNanos,
                meanRttNanos,
                jitterNanos,
                roundTrips,
                silenceNanos,
                isScheduled);
    }
}
