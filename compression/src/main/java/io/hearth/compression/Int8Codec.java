package io.hearth.compression;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;

/**
 * One byte per value and one scale per block: {@code value ~ level * scale}, where {@code scale} is the block's largest magnitude divided
 * by 127 and the level is rounded to nearest, ties to even, or stochastically. The error of a value is at most half a scale with rounding
 * to nearest, and less than one with stochastic rounding.
 *
 * <p>Body: {@link BlockFormat} with 8 bits. Decoding does not depend on how values were rounded.
 */
public final class Int8Codec implements LevelCodec {
    /** Small enough that a large value coarsens few neighbours, even if gradients have heavy tails; scales cost 6 %. */
    public static final int BLOCK_DEFAULT = 64;

    private final Levels levels;

    /**
     * A codec that rounds to nearest.
     *
     * @param block values per block, 8 to 65,536
     */
    public Int8Codec(int block) {
        this(block, false);
    }

    /**
     * A codec with the given rounding.
     * @param block values per block, 8 to 65,536
     * @param stochastic whether rounding is stochastic, or else to nearest
     */
    public Int8Codec(int block, boolean stochastic) {
        this(block, stochastic, Engines.best().codecKernels());
    }

    Int8Codec(int block, boolean stochastic, CodecKernels kernels) {
        levels = new Levels(kernels, format(block), Header.INT8, stochastic);
    }

    static BlockFormat format(int block) {
        return new BlockFormat(Byte.SIZE, block);
    }

    @Override
    public String name() {
        return "int8";
    }

    @Override
    public Levels levels() {
        return levels;
    }
}
