package io.hearth.compression;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;

/**
 * One byte per value and one scale per block: {@code value ~ level * scale}, where {@code scale} is the block's largest magnitude
 * divided by 127 and the level is rounded to nearest, ties to even, or stochastically. To nearest the error of a value is at most
 * half a scale, stochastically less than one.
 *
 * <p>Body: {@link BlockFormat} with 8 bits. Decoders do not care how it was rounded.
 */
public final class Int8Codec implements LevelCodec {
    /** Small enough that a large value spoils few neighbours even where gradients have heavy tails; scales cost 6 %. */
    public static final int BLOCK_DEFAULT = 64;

    private final Levels levels;

    /**
     * Blocks of so many values, rounded to nearest.
     *
     * @param block 8 to 65,536
     */
    public Int8Codec(int block) {
        this(block, false);
    }

    /**
     * Blocks of so many values.
     *
     * @param block 8 to 65,536
     * @param stochastic or else to nearest
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
