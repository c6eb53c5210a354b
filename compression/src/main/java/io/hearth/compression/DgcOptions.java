package io.hearth.compression;

/**
 * Options of {@code DgcMemory}.
 *
 * @param schedule share kept, by step
 * @param momentum of the optimiser, which must not apply it again: 0 to below 1; 0 makes it plain error feedback
 * @param clipNorm largest L2 norm of a tensor's summed gradient; above 0, infinite for no clipping
 * @param reuseSteps steps between exact searches for the threshold, at least 1. In between, the last threshold is used again, while it
 *     keeps half to twice the wanted number of values
 * @param full whether to send all 32 bits of each value, or else 16, as {@code TopKCodec} does
 */
public record DgcOptions(SparsitySchedule schedule, float momentum, double clipNorm, int reuseSteps, boolean full) {
    /** Checks the ranges. */
    public DgcOptions {
        if (!(momentum >= 0 && momentum < 1)) {
            throw new IllegalArgumentException(
                    "need a momentum of at least 0 and below 1, got " + momentum + "; a usual choice is 0.9");
        }
        if (!(clipNorm > 0)) {
            throw new IllegalArgumentException(
                    "need a clip norm above 0, got " + clipNorm + "; a usual choice is infinity, which clips nothing");
        }
        if (reuseSteps < 1) {
            throw new IllegalArgumentException(
                    "need reuseSteps >= 1, got " + reuseSteps + "; a usual choice is 1, which searches in every step");
        }
    }

    /** No clipping, an exact threshold in every step, 16 bits per value. */
    public static DgcOptions of(SparsitySchedule schedule, float momentum) {
        return new DgcOptions(schedule, momentum, Double.POSITIVE_INFINITY, 1, false);
    }

    /** A copy that clips. */
    public DgcOptions clippedTo(double norm) {
        return new DgcOptions(schedule, momentum, norm, reuseSteps, full);
    }

    /** A copy that searches less often. */
    public DgcOptions reusing(int steps) {
        return new DgcOptions(schedule, momentum, clipNorm, steps, full);
    }

    /** A copy that sends all 32 bits of each value, or else 16. */
    public DgcOptions full(boolean all) {
        return new DgcOptions(schedule, momentum, clipNorm, reuseSteps, all);
    }
}
