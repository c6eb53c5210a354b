package io.hearth.compression;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;

/**
 * Half a byte per value and one scale per block: {@code value ~ level * scale}, where {@code scale} is the block's largest magnitude
 * divided by 7 and the level is rounded to nearest, ties to even, or stochastically. The error of a value is at most half a scale with
 * rounding to nearest, and less than one with stochastic rounding.
 *
 * <p>Body: {@link BlockFormat} with 4 bits. Decoding does not depend on how values were rounded.
 */
public final class Int4Codec implements LevelCodec {
    /** Blocks are small because with 15 levels, values far below the largest of their block are lost; scales cost 12 %. */
    public static final int BLOCK_DEFAULT = 64;

    private final Levels levels;

    /**
     * A codec that rounds to nearest.
     *
     * @param block values per block, 8 to 65,536
     */
    public Int4Codec(int block) {
        this(block, false);
    }

    /**
     * A codec with the given rounding.
     * @param block values per block, 8 to 65,536
     * @param stochastic whether rounding is stochastic, or else to nearest
     */
    public Int4Codec(int block, boolean stochastic) {
        this(block, stochastic, Engines.best().codecKernels());
    }

    Int4Codec(int block, boolean stochastic, CodecKernels kernels) {
        levels = new Levels(kernels, format(block), Header.INT4, stochastic);
    }

    static BlockFormat format(int block) {
        return new BlockFormat(Byte.SIZE / 2, block);
    }

    @Override
    public String name() {
        return "int4";
    }

    @Override
    public Levels levels() {
        return levels;
    }
}
