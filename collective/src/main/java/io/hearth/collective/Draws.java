package io.hearth.collective;

/**
 * Seeds for codecs that draw. They follow from what all ranks know of a call, so that a call that is repeated draws the same, and so does
 * a member that came later.
 */
final class Draws {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private Draws() {}

    /** The same on all ranks. */
    static long of(long number, String key) {
        return mix(number * GOLDEN + key.hashCode());
    }

    /**
     * Another one for each rank, so that their rounding errors are independent; of a rank and not of a member, so that a job that is run
     * once more has the same bits.
     */
    static long by(long draw, int rank) {
        return mix(draw + (rank + 1) * GOLDEN);
    }

    /** Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: the finaliser of SplitMix64. */
    static long mix(long state) {
        long z = (state ^ (state >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }
}
