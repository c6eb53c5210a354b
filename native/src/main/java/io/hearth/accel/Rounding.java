package io.hearth.accel;

/**
 * The rounding of a value between two levels.
 *
 * <p>Stochastic: up with a probability equal to the distance from the lower level, in steps of 2^-15, so that the expected error is 0:
 * {@code level = rint(value / scale + draw)} in float32. A draw is an odd multiple of 2^-16 between -1/2 and 1/2, so a quotient that is
 * one rounding beyond the largest level still gives that level. A draw is a pure function of seed, block number and place in the block,
 * so a part of a tensor is rounded as within the whole. It mixes as SplitMix64 (Steele et al., OOPSLA 2014) per block and as the
 * finaliser of MurmurHash3 per value.
 *
 * @param stochastic or else to nearest, ties to even
 * @param seed chooses the draws; without meaning when rounding to nearest
 */
public record Rounding(boolean stochastic, long seed) {
    /** To nearest, ties to even. */
    public static final Rounding NEAREST = new Rounding(false, 0);

    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    /** Added to the start of the hash from one value to the next. */
    public static final int STRIDE = 0x9e37_79b9;

    public static final int SHIFT_ONE = 16;
    public static final int FACTOR_ONE = 0x85eb_ca6b;
    public static final int SHIFT_TWO = 13;
    public static final int FACTOR_TWO = 0xc2b2_ae35;

    /** The bits of a hash that become the fraction of a float32 between 1 and 2, which is the draw plus {@link #CENTRE}. */
    public static final int FRACTION = 0x007f_ff00;

    /** The other bits of that float32: 1 and half a step. */
    public static final int ONE_AND_HALF_A_STEP = 0x3f80_0080;

    public static final float CENTRE = 1.5f;

    private static final int FRACTION_SHIFT = 7;
    private static final int HALF = 1 << 15;

    /** Stochastic rounding with the draws of {@code seed}. */
    public static Rounding stochastic(long seed) {
        return new Rounding(true, seed);
    }

    public int blockSeed(long block) {
        long z = seed + (block + 1) * GOLDEN;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return (int) (z >>> 32);
    }

    /** An odd multiple of 2^-16 between -1/2 and 1/2, by integers and a product: C2 makes no vector code where bits become a float. */
    public static float draw(int blockSeed, int index) {
        int h = blockSeed + index * STRIDE;
        h = (h ^ (h >>> SHIFT_ONE)) * FACTOR_ONE;
        h = (h ^ (h >>> SHIFT_TWO)) * FACTOR_TWO;
        return (((h & FRACTION) >> FRACTION_SHIFT) + 1 - HALF) * 0x1p-16f;
    }
}
