package io.hearth.compression.sparse;

/**
 * The indices that a seed draws from {@code count} values: one of each of {@code kept} runs of almost equal length, so they rise. The first
 * {@code count % kept} runs have one value more than the others.
 *
 * @param seed any
 * @param count of all values
 * @param kept number of drawn values; 0 only if {@code count} is 0
 */
public record DrawnIndices(long seed, long count, long kept) {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    /** Draws {@code fraction} of the values. */
    public static DrawnIndices of(double fraction, long seed, long count) {
        return new DrawnIndices(seed, count, TopKCodec.kept(fraction, count));
    }

    /** Index of the value drawn from run {@code run}, which is 0 to below {@code kept}. */
    long index(long run) {
        long least = count / kept;
        long longer = count % kept;
        long length = run < longer ? least + 1 : least;
        long start = run * least + Math.min(run, longer);
        // The upper half of 64 by 64 bits maps the draw to the run evenly (Lemire, 2019).
        return start + Math.unsignedMultiplyHigh(draw(run), length);
    }

    /** Iterates over the indices, beginning at the first one. */
    public static final class Walk {
        private final DrawnIndices indices;
        private long number;
        private long index;

        public Walk(DrawnIndices indices) {
            this.indices = indices;
            index = indices.index(0);
        }

        public boolean isBelow(long end) {
            return number < indices.kept && index < end;
        }

        /** Number of indices already passed. */
        public long number() {
            return number;
        }

        public long index() {
            return index;
        }

        public void next() {
            number++;
            index = number < indices.kept ? indices.index(number) : index;
        }
    }

    /** SplitMix64 (Steele et al., OOPSLA 2014). */
    private long draw(long run) {
        long z = seed + (run + 1) * GOLDEN;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }
}
