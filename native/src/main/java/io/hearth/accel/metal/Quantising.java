package io.hearth.accel.metal;

/**
 * The settings of {@link MetalCodecs#quantise}.
 *
 * @param block values per scale, at least 8
 * @param scaleMax the largest scale
 * @param stochastic or else to nearest
 * @param seed of the draws; without meaning when rounding to nearest
 * @param firstBlock number of the first block within its tensor
 */
public record Quantising(int block, float scaleMax, boolean stochastic, long seed, long firstBlock) {
    /** Adds the words of the kernel's {@code LevelJob} for a piece that begins {@code blocksBefore} blocks after the first. */
    void encode(Dispatch dispatch, int count, long blocksBefore) {
        long number = firstBlock + blocksBefore;
        dispatch.word(count)
                .word(block)
                .word(Float.floatToRawIntBits(scaleMax))
                .word(stochastic ? 1 : 0)
                .word((int) seed)
                .word((int) (seed >>> Integer.SIZE))
                .word((int) number)
                .word((int) (number >>> Integer.SIZE));
    }
}
