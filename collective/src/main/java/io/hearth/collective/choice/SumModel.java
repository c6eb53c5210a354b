package io.hearth.collective.choice;

/**
 * Predicts the time of a sum of encoded float32 values from the time of a plain sum of the same size. The model adds latency, bytes through
 * one port, and a processor's work. It is used only for codecs without a measured time.
 *
 * @param alphaNanos of one message, as in {@link io.hearth.collective.schedule.LinkModel}
 */
public record SumModel(double alphaNanos) {
    private static final double NANOS_PER_BYTE_MIN = 1e-3;

    private static final double NANOS_PER_BYTE_MAX = 1e12;

    /**
     * Limit for the growth of nanoseconds per byte, relative to the growth of the whole sum's time: other work of the processor is not the
     * link's time.
     */
    private static final double SLOWER_MAX = 2;

    public SumModel {
        if (!CodecCost.isCost(alphaNanos)) {
            throw new IllegalArgumentException("alphaNanos must be finite and 0 or more, got " + alphaNanos);
        }
    }

    private static double plainBytes(int world, long count) {
        return 2.0 * (world - 1) / world * count * Float.BYTES;
    }

    private static double bytes(CodecCost cost, int world, long count) {
        double others = world - 1;
        return (cost.inBlocks() ? 2 * others / world : others) * count * cost.bytes();
    }

    /**
     * Nanoseconds of a byte through one port, computed from a plain sum.
     *
     * @param world number of members, 1 or more
     * @param count of values, 0 or more
     * @param plainNanos nanoseconds of a plain sum of them
     * @return above 0
     */
    public double nanosPerByte(int world, long count, double plainNanos) {
        double bytes = plainBytes(world, count);
        double latency = 2 * alphaNanos; // of a direct exchange, the least possible
        return bytes <= 0 ? NANOS_PER_BYTE_MIN : within(Math.max(plainNanos - latency, plainNanos / 2) / bytes);
    }

    /**
     * The same, computed from the changed time of a sum of encodings. Added time counts fully as the link's. Saved time counts only in
     * proportion to the link's share, because the rest of such a sum may be a processor's.
     *
     * @param nanosPerByte former value
     * @param before nanoseconds of such a sum before, above 0
     * @param now nanoseconds of such a sum now, above 0
     */
    double nanosPerByte(CodecCost cost, int world, long count, double nanosPerByte, double before, double now) {
        double times = now / before;
        double bytes = Math.max(1, bytes(cost, world, count));
        return within(
                times < 1
                        ? nanosPerByte * times
                        : Math.min(nanosPerByte + (now - before) / bytes, nanosPerByte * times * SLOWER_MAX));
    }

    private static double within(double nanosPerByte) {
        return Math.clamp(nanosPerByte, NANOS_PER_BYTE_MIN, NANOS_PER_BYTE_MAX);
    }

    /** Nanoseconds of a plain sum; arguments as in {@link #encodedNanos}. */
    double plainNanos(int world, long count, double nanosPerByte) {
        return 2 * alphaNanos + plainBytes(world, count) * nanosPerByte;
    }

    /** Nanoseconds until each member has received a few bytes from all others. */
    double voteNanos(int world) {
        return world * alphaNanos;
    }

    /**
     * Nanoseconds of a sum of encodings; in a group of one, those of its processor only.
     *
     * @param processors speed relative to the processor on which {@code cost} was measured
     * @param nanosPerByte through one port; other arguments as in {@link #nanosPerByte}
     */
    public double encodedNanos(CodecCost cost, int world, long count, double nanosPerByte, double processors) {
        double others = world - 1;
        double perValue = cost.inBlocks()
                ? cost.encodeNanos() * (1 + 1.0 / world) + cost.addNanos() * others / world + cost.decodeNanos()
                : cost.encodeNanos() + cost.addNanos() * others + cost.decodeNanos();
        double rounds = cost.inBlocks() ? 2 : others;
        return perValue * count / processors + rounds * alphaNanos + bytes(cost, world, count) * nanosPerByte;
    }
}
