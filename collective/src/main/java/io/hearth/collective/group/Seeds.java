package io.hearth.collective.group;

import io.hearth.collective.schedule.SplitMix;

/**
 * Seeds for codecs that draw. They follow from what all ranks know of a call, so that a call that is repeated draws the same, and so does
 * a member that came later.
 */
public final class Seeds {
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private Seeds() {}

    /** The same on all ranks. */
    public static long of(long number, String key) {
        return SplitMix.mix(number * GOLDEN + key.hashCode());
    }

    /**
     * Another one for each rank, so that their rounding errors are independent; of a rank and not of a member, so that a job that is run
     * once more has the same bits.
     */
    public static long by(long draw, int rank) {
        return SplitMix.mix(draw + (rank + 1) * GOLDEN);
    }
}
