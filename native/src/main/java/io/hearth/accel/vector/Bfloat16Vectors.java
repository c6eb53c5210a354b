package io.hearth.accel.vector;

import io.hearth.accel.HalfFloat;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops over {@link HalfFloat#BFLOAT16} by whole vectors, all operands in native memory: each float lane becomes a short of a vector
 * half as wide. Each loop returns how many values it did; the caller does the rest, which is less than a vector.
 */
final class Bfloat16Vectors {
    private static final VectorSpecies<Integer> INTS =
            VectorSpecies.of(int.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Float> FLOATS = INTS.withLanes(float.class);
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(Math.max(64, INTS.vectorBitSize() / 2)));
    private static final int LANES = INTS.length();

    private Bfloat16Vectors() {}

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

    static long widen(MemorySegment halves, long at, MemorySegment values, long offset, long n) {
        long i = 0;
        for (; i <= n - LANES; i += LANES) {
            widened(lanes(ShortVector.fromMemorySegment(
                            SHORTS, NativeMemory.of(halves), at + i * Short.BYTES, ByteOrder.LITTLE_ENDIAN)))
                    .intoMemorySegment(NativeMemory.of(values), offset + i * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
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
        return BfloatVectors.rounded(values).lanewise(VectorOperators.LSHR, Short.SIZE);
    }

    /** Ignores the upper half of each lane. */
    private static FloatVector widened(IntVector halves) {
        return halves.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }
}
