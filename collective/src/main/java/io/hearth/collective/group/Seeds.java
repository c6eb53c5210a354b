package io.hearth.collective.group;

import io.hearth.collective.schedule.SplitMix;

/**
 * Seeds for codecs that use random numbers. They depend only on what all ranks know of a call. So a repeated call gets the same random
 * numbers, and so does a member that came later.
 */
public final class Seeds {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private Seeds() {}

    /** Seed of a call; the same on all ranks. */
    public static long of(long number, String key) {
        return SplitMix.mix(number * GOLDEN + key.hashCode());
    }

    /**
     * A different seed for each rank, so that their rounding errors are independent. It depends on the rank and not on the member, so that
     * a job that is run again has the same bits.
     */
    public static long by(long draw, int rank) {
        return SplitMix.mix(draw + (rank + 1) * GOLDEN);
    }
}
