package io.hearth.topology;

/**
 * The shortest round trip of the last half to whole minute. A round trip of heartbeats holds the delay of both nodes' threads too. Their
 * shortest one is closest to that of the link, which is what a plan needs; the smoothed one tells more about the health of a node.
 *
 * @param presentNanos shortest round trip since {@code beganNanos}, above 0
 * @param formerNanos shortest one of the half minute before; {@link Long#MAX_VALUE} without one
 * @param beganNanos monotonic time
 */
public record LeastRoundTrip(long presentNanos, long formerNanos, long beganNanos) {
    /** Span of the present part. */
    static final long HALF_NANOS = 30_000_000_000L;

    public LeastRoundTrip {
        if (presentNanos < 1 || formerNanos < 1) {
            throw new IllegalArgumentException(
                    "round trips must be above 0 ns, got " + presentNanos + " and " + formerNanos);
        }
    }

    /** After the first round trip. */
    public static LeastRoundTrip first(long sampleNanos, long nowNanos) {
        return new LeastRoundTrip(Math.max(1, sampleNanos), Long.MAX_VALUE, nowNanos);
    }

    /** With one more round trip. */
    public LeastRoundTrip with(long sampleNanos, long nowNanos) {
        long sample = Math.max(1, sampleNanos);
        long sinceNanos = nowNanos - beganNanos;
        if (sinceNanos < HALF_NANOS) {
            return new LeastRoundTrip(Math.min(presentNanos, sample), formerNanos, beganNanos);
        }
        return new LeastRoundTrip(sample, sinceNanos < 2 * HALF_NANOS ? presentNanos : Long.MAX_VALUE, nowNanos);
    }

    /** The shortest round trip, in nanoseconds. */
    public long nanos() {
        return Math.min(presentNanos, formerNanos);
    }
}
