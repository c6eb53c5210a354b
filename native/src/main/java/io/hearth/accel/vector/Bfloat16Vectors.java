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
 * The loops over {@link HalfFloat#BFLOAT16} by whole vectors, all operands in native memory: each float lane becomes a short of a
 * vector half as wide. All return how many values they did; the rest, less than a vector, is for others.
 */
final class Bfloat16Vectors {
    private static final VectorSpecies<Integer> INTS =
            VectorSpecies.of(int.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Float> FLOATS = INTS.withLanes(float.class);
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(Math.max(64, INTS.vectorBitSize() / 2)));
    private static final int LANES = INTS.length();
    private static final int JUST_BELOW_HALF = 0x7fff;

    private Bfloat16Vectors() {}

    /** None of the values rounds to infinity, is infinite or NaN. */
    static int narrow(MemorySegment values, long offset, int n, MemorySegment halves, long at) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            halves(narrowed(FloatVector.fromMemorySegment(
                            FLOATS, NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN)))
                    .intoMemorySegment(NativeMemory.of(halves), at + (long) i * Short.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        return i;
    }

    /** As {@link #narrow}; what was rounded off stays. */
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

    /** In the lower half of each lane. */
    private static IntVector narrowed(FloatVector values) {
        IntVector whole = values.reinterpretAsInts();
        IntVector odd = whole.lanewise(VectorOperators.LSHR, Short.SIZE).and(1);
        return whole.add(JUST_BELOW_HALF).add(odd).lanewise(VectorOperators.LSHR, Short.SIZE);
    }

    /** What is above the lower half of a lane does not matter. */
    private static FloatVector widened(IntVector halves) {
        return halves.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }
}
