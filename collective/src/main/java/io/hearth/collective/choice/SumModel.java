package io.hearth.collective.choice;

/**
 * Predicts how long a sum of encoded float32 values takes from how long a plain one of that size took: latency, bytes through one port, and
 * a processor's work, one after the other. Only for codecs that were not tried: what was seen counts more.
 *
 * @param alphaNanos of one message, as in {@link io.hearth.collective.schedule.LinkModel}
 */
public record SumModel(double alphaNanos) {
    private static final double NANOS_PER_BYTE_MIN = 1e-3;

    public SumModel {
        if (!CodecCost.isCost(alphaNanos)) {
            throw new IllegalArgumentException("a latency is finite and not negative, got " + alphaNanos);
        }
    }

    /**
     * Nanoseconds of a byte through one port, as a plain sum shows it.
     *
     * @param world number of members, 1 or more
     * @param count of values, 0 or more
     * @param plainNanos that a sum of them as they are takes
     * @return above 0
     */
    public double nanosPerByte(int world, long count, double plainNanos) {
        double bytes = 2.0 * (world - 1) / world * count * Float.BYTES;
        double latency = 2 * alphaNanos; // of a direct exchange, the least
        return bytes <= 0
                ? NANOS_PER_BYTE_MIN
                : Math.max(NANOS_PER_BYTE_MIN, Math.max(plainNanos - latency, plainNanos / 2) / bytes);
    }

    /**
     * Nanoseconds of a sum of encodings; of a group of one, those of its processor.
     *
     * @param processors how fast they are, of what {@code cost} was measured on: 1 for as fast
     * @param nanosPerByte through one port; other arguments as in {@link #nanosPerByte}
     */
    public double encodedNanos(CodecCost cost, int world, long count, double nanosPerByte, double processors) {
        double others = world - 1;
        double perValue = cost.inBlocks()
                ? cost.encodeNanos() * (1 + 1.0 / world) + cost.addNanos() * others / world + cost.decodeNanos()
                : cost.encodeNanos() + cost.addNanos() * others + cost.decodeNanos();
        double bytes = (cost.inBlocks() ? 2 * others / world : others) * count * cost.bytes();
        double rounds = cost.inBlocks() ? 2 : others;
        return perValue * count / processors + rounds * alphaNanos + bytes * nanosPerByte;
    }
}
