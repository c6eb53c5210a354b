package io.hearth.accel.metal;

import java.util.List;

/**
 * How {@link MetalCodecs#quantise} rounds.
 *
 * @param block values per scale, at least 8
 * @param scaleMax no scale is larger
 * @param stochastic or else to nearest
 * @param seed of the draws; without meaning when rounding to nearest
 * @param firstBlock number of the first block within its tensor
 */
public record Quantising(int block, float scaleMax, boolean stochastic, long seed, long firstBlock) {
    /** The kernel's {@code LevelJob} for a piece that begins {@code blocksBefore} blocks behind the first. */
    List<Integer> parameters(int count, long blocksBefore) {
        long number = firstBlock + blocksBefore;
        return List.of(
                count,
                block,
                Float.floatToRawIntBits(scaleMax),
                stochastic ? 1 : 0,
                (int) seed,
                (int) (seed >>> Integer.SIZE),
                (int) number,
                (int) (number >>> Integer.SIZE));
    }
}
