package io.hearth.election.health;

/**
 * The round trips to one peer, and the preset that they ask for.
 *
 * <p>The shortest one tells how far the peer is, because load only adds to it: nothing inside a house takes {@link #FAR_NANOS} at best.
 * The share of late ones tells whether the way sleeps and retries, as Wi-Fi does. A cable that a sum saturates for long looks the same
 * and gets the same span.
 *
 * @param samples count of round trips
 * @param leastNanos shortest one of the present span; {@link Long#MAX_VALUE} for none
 * @param formerLeastNanos shortest one of the span before
 * @param beganNanos beginning of the present span
 * @param lateShare smoothed share of round trips over {@link #LATE_NANOS}, 0 to 1
 */
record RoundTrips(long samples, long leastNanos, long formerLeastNanos, long beganNanos, double lateShare) {
    /** 10 ms: light in glass goes 1,000 km and back. */
    static final long FAR_NANOS = 10_000_000L;

    static final long LATE_NANOS = 40_000_000L;
    static final double LATE_SHARE = 1.0 / 8;

    private static final double SMOOTHING = 1.0 / 64; // 16 s of heartbeats
    private static final RoundTrips NONE = new RoundTrips(0, Long.MAX_VALUE, Long.MAX_VALUE, 0, 0);

    static RoundTrips none() {
        return NONE;
    }

    /**
     * With another round trip.
     *
     * @param spanNanos length of the spans in which the shortest one is sought
     */
    RoundTrips with(long nanos, long spanNanos, long nowNanos) {
        double share = lateShare + ((nanos > LATE_NANOS ? 1 : 0) - lateShare) * SMOOTHING;
        boolean isNewSpan = samples == 0 || nowNanos - beganNanos >= spanNanos;
        return isNewSpan
                ? new RoundTrips(samples + 1, nanos, leastNanos, nowNanos, share)
                : new RoundTrips(samples + 1, Math.min(leastNanos, nanos), formerLeastNanos, beganNanos, share);
    }

    /** The preset for this peer alone; {@link Preset#LAN} with fewer than {@code samplesMin} round trips. */
    Preset preset(long samplesMin) {
        if (samples < samplesMin) {
            return Preset.LAN;
        }
        if (Math.min(leastNanos, formerLeastNanos) >= FAR_NANOS) {
            return Preset.WAN;
        }
        return lateShare >= LATE_SHARE ? Preset.WIFI : Preset.LAN;
    }
}
