package io.hearth.accel.vector;

import io.hearth.accel.HalfFloat;
import io.hearth.accel.portable.PortableCodecKernels;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops over {@link HalfFloat#BINARY16} by whole vectors, all operands in native memory: each float lane becomes a short of a vector
 * half as wide. Each loop returns how many values it did; the caller does the rest, which is less than a vector.
 *
 * <p>The Vector API has no such conversion, so it is integer arithmetic.
 */
final class Binary16Vectors {
    private static final VectorSpecies<Integer> INTS =
            VectorSpecies.of(int.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Float> FLOATS = INTS.withLanes(float.class);
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(Math.max(64, INTS.vectorBitSize() / 2)));
    private static final int LANES = INTS.length();

    /** The number of fraction bits that binary16 lacks, and the value just below half of its last one. */
    private static final int LOST = 13;

    private static final int JUST_BELOW_HALF = (1 << (LOST - 1)) - 1;

    /** The difference of the exponents' biases, at the place of a float32's exponent. */
    private static final int REBIAS = (127 - 15) << 23;

    private static final int NORMAL_MIN = Float.floatToRawIntBits(0x1p-14f);

    /** Its last bit has the worth of a subnormal's last bit, so adding it rounds to subnormals. */
    private static final float SUBNORMAL_ROUNDER = 0x1p-1f;

    private static final int HALF_SIGN = 0x8000;
    private static final int HALF_MAGNITUDE = 0x7fff;
    private static final int HALF_NORMAL_MIN = 0x0400;
    private static final int HALF_INFINITY = 0x7c00;

    private Binary16Vectors() {}

    /** The values must be finite and round to finite ones. */
    static int narrow(MemorySegment values, long offset, int n, MemorySegment halves, long at) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            halves(narrowed(FloatVector.fromMemorySegment(
                            FLOATS, NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN)))
                    .intoMemorySegment(NativeMemory.of(halves), at + (long) i * Short.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        return i;
    }

    /** As {@link #narrow}; the rounding error stays in {@code values}. */
    static int narrowLeavingError(MemorySegment values, long offset, int n, MemorySegment halves, long at) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            long place = offset + (long) i * Float.BYTES;
            FloatVector value =
                    FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
            IntVector narrowed = narrowed(value);
            halves(narrowed)
                    .intoMemorySegment(NativeMemory.of(halves), at + (long) i * Short.BYTES, ByteOrder.LITTLE_ENDIAN);
            value.sub(widened(narrowed)).intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
        }
        return i;
    }

    static long widenAndAdd(MemorySegment halves, long at, MemorySegment values, long offset, long n) {
        long i = 0;
        for (; i <= n - LANES; i += LANES) {
            long place = offset + i * Float.BYTES;
            FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN)
                    .add(widened(lanes(ShortVector.fromMemorySegment(
                            SHORTS, NativeMemory.of(halves), at + i * Short.BYTES, ByteOrder.LITTLE_ENDIAN))))
                    .intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
        }
        return i;
    }

    private static IntVector lanes(ShortVector halves) {
        return (IntVector) halves.convertShape(VectorOperators.S2I, INTS, 0);
    }

    private static ShortVector halves(IntVector lanes) {
        return lanes.convertShape(VectorOperators.I2S, SHORTS, 0).reinterpretAsShorts();
    }

    /** The result is in the lower half of each lane. */
    private static IntVector narrowed(FloatVector values) {
        IntVector whole = values.reinterpretAsInts();
        IntVector magnitude = whole.and(PortableCodecKernels.MAGNITUDE);
        IntVector odd = whole.lanewise(VectorOperators.LSHR, LOST).and(1);
        IntVector normal = magnitude.add(JUST_BELOW_HALF - REBIAS).add(odd).lanewise(VectorOperators.LSHR, LOST);
        IntVector subnormal = magnitude
                .reinterpretAsFloats()
                .add(SUBNORMAL_ROUNDER)
                .reinterpretAsInts()
                .sub(Float.floatToRawIntBits(SUBNORMAL_ROUNDER));
        VectorMask<Integer> small = magnitude.compare(VectorOperators.LT, NORMAL_MIN);
        IntVector sign = whole.lanewise(VectorOperators.LSHR, Short.SIZE).and(HALF_SIGN);
        return normal.blend(subnormal, small).or(sign);
    }

    /** Ignores the upper half of each lane; widens NaN and infinity too. */
    private static FloatVector widened(IntVector halves) {
        IntVector magnitude = halves.and(HALF_MAGNITUDE);
        IntVector shifted = magnitude.lanewise(VectorOperators.LSHL, LOST);
        IntVector normal = shifted.add(REBIAS);
        IntVector subnormal = shifted.add(NORMAL_MIN)
                .reinterpretAsFloats()
                .sub(Float.intBitsToFloat(NORMAL_MIN))
                .reinterpretAsInts();
        IntVector sign = halves.and(HALF_SIGN).lanewise(VectorOperators.LSHL, Short.SIZE);
        return normal.blend(subnormal, magnitude.compare(VectorOperators.LT, HALF_NORMAL_MIN))
                .blend(shifted.or(PortableCodecKernels.INFINITY), magnitude.compare(VectorOperators.GE, HALF_INFINITY))
                .or(sign)
                .reinterpretAsFloats();
    }
}
