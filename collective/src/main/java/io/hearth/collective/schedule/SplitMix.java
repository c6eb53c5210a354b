package io.hearth.collective.schedule;

/** The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). */
public final class SplitMix {
    private SplitMix() {}

    /** Mixes 64 bits, one to one. */
    public static long mix(long state) {
        long z = (state ^ (state >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }
}
