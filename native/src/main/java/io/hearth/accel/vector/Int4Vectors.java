package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;

import java.lang.foreign.MemorySegment;

/**
 * Int4 blocks of {@link LevelKernels#BLOCK} values, in loops like those of {@link Int8Vectors}: a step does two vectors, one of the
 * block's lower half and one of its upper half.
 */
final class Int4Vectors {
    private static final int LANES = LevelVectors.LANES;
    private static final int HALF = LevelKernels.BLOCK / 2;

    /** Values of the lower half in one pass over the blocks; the same number of the upper half. */
    private static final int PASS = 2 * LANES;

    private static final int UPPER = HALF * Float.BYTES;
    private static final int BODY_BYTES = Float.BYTES + HALF;
    private static final int VALUES_BYTES = LevelKernels.BLOCK * Float.BYTES;

    private Int4Vectors() {}

    /** {@code values = values + level * (scale * sign)}. */
    static void add(
            MemorySegment body, long bodyOffset, float sign, MemorySegment values, long valuesOffset, int blocks) {
        for (int first = 0; first < HALF; first += PASS) {
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
                long low = place + (long) i * Float.BYTES;
                LevelVectors.add4(body, levels + i, scale, values, low, low + UPPER);
            }
        }
    }

    /** {@code values = level * scale}. */
    static void multiply(MemorySegment body, long bodyOffset, MemorySegment values, long valuesOffset, int blocks) {
        for (int first = 0; first < HALF; first += PASS) {
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
                long low = place + (long) i * Float.BYTES;
                LevelVectors.multiply4(body, levels + i, scale, values, low, low + UPPER);
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
        for (int first = 0; first < HALF; first += PASS) {
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
                long low = place + (long) i * Float.BYTES;
                LevelVectors.nearest4(values, low, low + UPPER, divisor, body, levels + i);
            }
        }
    }

    /**
     * Packs levels of 8 bits, which are at most 7 each.
     *
     * @param levels int8 blocks, whose scales are ignored
     */
    static void pack(MemorySegment levels, MemorySegment body, long bodyOffset, int blocks) {
        for (int block = 0; block < blocks; block++) {
            long from = (long) block * Int8Vectors.BODY_BYTES + Float.BYTES;
            long to = bodyOffset + (long) block * BODY_BYTES + Float.BYTES;
            for (int i = 0; i < HALF; i += Long.BYTES) {
                LevelLoops.pack4(levels, from + i, from + HALF + i, body, to + i);
            }
        }
    }
}
