package io.hearth.election.health;

/**
 * The time spans of the failure detector, all in nanoseconds.
 *
 * @param heartbeatNanos between heartbeats to each peer
 * @param silenceNanos a peer without a frame for this time is suspected; measured jitter widens it and never narrows it
 * @param redialNanos a closed link that is not back after this long makes its peer suspected
 * @param gapNanos a local pause longer than this restarts all timers before any peer is judged
 * @param forgetNanos a suspected peer is forgotten after this long
 * @param peersMax most peers watched
 */
public record HealthConfig(
        long heartbeatNanos, long silenceNanos, long redialNanos, long gapNanos, long forgetNanos, int peersMax) {
    private static final long MILLI = 1_000_000L;

    public HealthConfig {
        if (heartbeatNanos <= 0 || redialNanos <= 0 || gapNanos <= 0 || peersMax < 1) {
            throw new IllegalArgumentException("every span and bound must be above 0, got heartbeat " + heartbeatNanos
                    + " ns, re-dial " + redialNanos + " ns, gap " + gapNanos + " ns, peers " + peersMax);
        }
        if (silenceNanos < 2 * heartbeatNanos || forgetNanos < silenceNanos) {
            throw new IllegalArgumentException("need 2 * heartbeat <= silence <= forget, got " + heartbeatNanos + ", "
                    + silenceNanos + " and " + forgetNanos + " ns; a usual choice is 250 ms, 1.5 s and 10 min");
        }
    }

    /** Cable: heartbeats every 250 ms, suspicion after 1.5 s. */
    public static HealthConfig lan() {
        return of(250 * MILLI, 1_500 * MILLI);
    }

    /** Wi-Fi, which sleeps and retries: heartbeats every 250 ms, suspicion after 3 s. */
    public static HealthConfig wifi() {
        return of(250 * MILLI, 3_000 * MILLI);
    }

    /** Beyond one house: heartbeats every second, suspicion after 8 s. */
    public static HealthConfig wan() {
        return of(1_000 * MILLI, 8_000 * MILLI);
    }

    /** Explicit heartbeat and silence; the other spans as in the presets. */
    public static HealthConfig of(long heartbeatNanos, long silenceNanos) {
        return new HealthConfig(heartbeatNanos, silenceNanos, 300 * MILLI, 700 * MILLI, 600_000 * MILLI, 1_024);
    }
}
