package io.hearth.accel;

/**
 * How a value between two levels is rounded.
 *
 * <p>Stochastic: up with a probability equal to the distance from the lower level, in steps of 2^-16, so that the expected error
 * is 0: {@code level = floor(value / scale + draw + 128) - 128} in float32. The draw is a pure function of seed, block number and place in the block, so a part of a tensor is rounded as it would be
 * within the whole. It mixes as SplitMix64 (Steele et al., OOPSLA 2014) per block and as the finaliser of MurmurHash3 per value.
 *
 * @param stochastic or else to nearest, ties to even
 * @param seed chooses the draws; without meaning when rounding to nearest
 */
public record Rounding(boolean stochastic, long seed) {
    /** To nearest, ties to even. */
    public static final Rounding NEAREST = new Rounding(false, 0);

    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;
    private static final int GOLDEN_INT = 0x9e37_79b9;

    /** Stochastic, with these draws. */
    public static Rounding stochastic(long seed) {
        return new Rounding(true, seed);
    }

    int blockSeed(long block) {
        long z = seed + (block + 1) * GOLDEN;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return (int) (z >>> 32);
    }

    /** 0 to 1 - 2^-16. */
    static float draw(int blockSeed, int index) {
        int h = blockSeed + index * GOLDEN_INT;
        h = (h ^ (h >>> 16)) * 0x85eb_ca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2_ae35;
        h ^= h >>> 16;
        return (h >>> 16) * 0x1p-16f;
    }
}
