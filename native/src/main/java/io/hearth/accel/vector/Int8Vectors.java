package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;

import java.lang.foreign.MemorySegment;

/**
 * Int8 blocks of {@link LevelKernels#BLOCK} values. A block has few vectors, and a loop over them would cost more than their arithmetic.
 * Here their number is a constant, so that C2 unrolls that loop and checks the bounds of the loop over the blocks once. A loop body takes
 * {@link #PASS} values of each block, because more do not fit into the registers of a processor with narrow vectors; such a processor
 * passes over the blocks several times.
 */
final class Int8Vectors {
    private static final int LANES = LevelVectors.LANES;

    /** Values of each block in one pass over the blocks. */
    private static final int PASS = 4 * LANES;

    /** The same for stochastic rounding, whose draws take many registers. */
    private static final int DRAWN_PASS = 2 * LANES;

    /** Whether these loops exist: vectors of more than 512 bits have none. */
    static final boolean PRESENT = PASS <= LevelKernels.BLOCK;

    static final int BODY_BYTES = Float.BYTES + LevelKernels.BLOCK;
    private static final int VALUES_BYTES = LevelKernels.BLOCK * Float.BYTES;

    private Int8Vectors() {}

    /** {@code values = values + level * (scale * sign)}. */
    static void add(
            MemorySegment body, long bodyOffset, float sign, MemorySegment values, long valuesOffset, int blocks) {
        for (int first = 0; first < LevelKernels.BLOCK; first += PASS) {
            long levels = bodyOffset + Float.BYTES + first;
            addPass(body, bodyOffset, levels, sign, values, valuesOffset + (long) first * Float.BYTES, blocks);
        }
    }

    private static void addPass(
            MemorySegment body,
            long scalesOffset,
            long levelsOffset,
            float sign,
            MemorySegment values,
            long valuesOffset,
            int blocks) {
        for (int block = 0; block < blocks; block++) {
            float scale = body.get(FLOAT, scalesOffset + (long) block * BODY_BYTES) * sign;
            long levels = levelsOffset + (long) block * BODY_BYTES;
            long place = valuesOffset + (long) block * VALUES_BYTES;
            for (int i = 0; i < PASS; i += LANES) {
                LevelVectors.add8(body, levels + i, scale, values, place + (long) i * Float.BYTES);
            }
        }
    }

    /** {@code values = level * scale}. */
    static void multiply(MemorySegment body, long bodyOffset, MemorySegment values, long valuesOffset, int blocks) {
        for (int first = 0; first < LevelKernels.BLOCK; first += PASS) {
            long levels = bodyOffset + Float.BYTES + first;
            multiplyPass(body, bodyOffset, levels, values, valuesOffset + (long) first * Float.BYTES, blocks);
        }
    }

    private static void multiplyPass(
            MemorySegment body,
            long scalesOffset,
            long levelsOffset,
            MemorySegment values,
            long valuesOffset,
            int blocks) {
        for (int block = 0; block < blocks; block++) {
            float scale = body.get(FLOAT, scalesOffset + (long) block * BODY_BYTES);
            long levels = levelsOffset + (long) block * BODY_BYTES;
            long place = valuesOffset + (long) block * VALUES_BYTES;
            for (int i = 0; i < PASS; i += LANES) {
                LevelVectors.multiply8(body, levels + i, scale, values, place + (long) i * Float.BYTES);
            }
        }
    }

    /** Writes levels rounded to nearest; the scales are already written, and {@code divisors} belong to them. */
    static void nearest(
            MemorySegment values,
            long valuesOffset,
            float[] divisors,
            MemorySegment body,
            long bodyOffset,
            int blocks) {
        for (int first = 0; first < LevelKernels.BLOCK; first += PASS) {
            long levels = bodyOffset + Float.BYTES + first;
            nearestPass(values, valuesOffset + (long) first * Float.BYTES, divisors, body, levels, blocks);
        }
    }

    private static void nearestPass(
            MemorySegment values,
            long valuesOffset,
            float[] divisors,
            MemorySegment body,
            long levelsOffset,
            int blocks) {
        for (int block = 0; block < blocks; block++) {
            long levels = levelsOffset + (long) block * BODY_BYTES;
            long place = valuesOffset + (long) block * VALUES_BYTES;
            float divisor = divisors[block];
            for (int i = 0; i < PASS; i += LANES) {
                LevelVectors.nearest8(values, place + (long) i * Float.BYTES, divisor, body, levels + i);
            }
        }
    }

    /** As {@link #nearest}, rounded by the draws of each block's seed. */
    static void stochastic(
            MemorySegment values,
            long valuesOffset,
            float[] divisors,
            int[] seeds,
            MemorySegment body,
            long bodyOffset,
            int blocks) {
        for (int first = 0; first < LevelKernels.BLOCK; first += DRAWN_PASS) {
            long levels = bodyOffset + Float.BYTES + first;
            stochasticPass(
                    values, valuesOffset + (long) first * Float.BYTES, divisors, seeds, first, body, levels, blocks);
        }
    }

    private static void stochasticPass(
            MemorySegment values,
            long valuesOffset,
            float[] divisors,
            int[] seeds,
            int first,
            MemorySegment body,
            long levelsOffset,
            int blocks) {
        for (int block = 0; block < blocks; block++) {
            long levels = levelsOffset + (long) block * BODY_BYTES;
            long place = valuesOffset + (long) block * VALUES_BYTES;
            float divisor = divisors[block];
            int seed = seeds[block];
            for (int i = 0; i < DRAWN_PASS; i += LANES) {
                LevelVectors.stochastic8(
                        values, place + (long) i * Float.BYTES, divisor, seed, first + i, body, levels + i);
            }
        }
    }
}
