package io.hearth.collective.choice;

/**
 * Predicts how long a sum of float32 values takes, plain or encoded: latency, bytes through one port, and a processor's work, one
 * after the other. What runs beside each other is left to be learnt from real sums ({@link SumHistory}).
 *
 * @param alphaNanos of one message, as in {@link io.hearth.collective.schedule.LinkModel}
 */
public record SumModel(double alphaNanos) {
    public SumModel {
        if (!CodecCost.isCost(alphaNanos)) {
            throw new IllegalArgumentException("a latency is finite and not negative, got " + alphaNanos);
        }
    }

    /**
     * Of values as they are, round the ring.
     *
     * @param world number of members, 1 or more
     * @param count of values, 0 or more
     * @param nanosPerByte through one port
     */
    public double plainNanos(int world, long count, double nanosPerByte) {
        return 2.0 * (world - 1) * alphaNanos + plainBytes(world, count) * nanosPerByte;
    }

    /** Of encodings; other arguments as in {@link #plainNanos}. */
    public double encodedNanos(CodecCost cost, int world, long count, double nanosPerByte) {
        return processorNanos(cost, world, count) + wireNanos(cost, world, count, nanosPerByte);
    }

    /** The part of {@link #encodedNanos} that the processor takes, whatever the link. */
    double processorNanos(CodecCost cost, int world, long count) {
        if (world == 1) {
            return 0;
        }
        double others = world - 1;
        double perValue = cost.inBlocks()
                ? cost.encodeNanos() * (1 + 1.0 / world) + cost.addNanos() * others / world + cost.decodeNanos()
                : cost.encodeNanos() + cost.addNanos() * others + cost.decodeNanos();
        return perValue * count;
    }

    /** The part of {@link #encodedNanos} that the link takes. */
    double wireNanos(CodecCost cost, int world, long count, double nanosPerByte) {
        double rounds = cost.inBlocks() ? 2.0 : world - 1.0;
        return (world == 1 ? 0 : rounds * alphaNanos) + encodedBytes(cost, world, count) * nanosPerByte;
    }

    /** Bytes that each member sends of values as they are. */
    static double plainBytes(int world, long count) {
        return 2.0 * (world - 1) / world * count * Float.BYTES;
    }

    /** Bytes that each member sends of encodings. */
    static double encodedBytes(CodecCost cost, int world, long count) {
        double others = world - 1;
        return (cost.inBlocks() ? 2 * others / world : others) * count * cost.bytes();
    }
}
