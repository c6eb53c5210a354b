package io.hearth.accel.vector;

import io.hearth.accel.portable.BfloatBlock;
import io.hearth.accel.portable.TypeLoops;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums and quotients of BFLOAT16, two values to an int lane: the upper one is a float32 with the lower half cleared, the lower one with
 * the lane shifted up. Both are computed as float32, rounded and packed again, so the vector's shape never changes. The last elements and
 * all other operations go by arrays.
 */
final class BfloatVectors implements TypeLoops {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final TypeLoops tail;

    BfloatVectors(TypeLoops tail) {
        this.tail = tail;
    }

    @Override
    public void combine(
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        long bytes = op == ReduceOp.SUM ? (long) count * Short.BYTES / STRIDE * STRIDE : 0;
        if (right.isNative()) {
            sum(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
        } else {
            byte[] array = (byte[]) right.heapBase().orElseThrow(); // a byte[]: checked by Operands
            int index = (int) (right.address() + rightOffset);
            sum(target, targetOffset, left, leftOffset, array, index, (int) bytes);
        }
        tail.combine(
                op,
                target,
                targetOffset + bytes,
                left,
                leftOffset + bytes,
                right,
                rightOffset + bytes,
                count - (int) (bytes / Short.BYTES));
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Short.BYTES / STRIDE * STRIDE;
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            IntVector pair = IntVector.fromMemorySegment(INTS, NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN);
            packed(rounded(lower(pair).div(divisor)), rounded(upper(pair).div(divisor)))
                    .intoMemorySegment(NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Short.BYTES, divisor);
    }

    private static void sum(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector one =
                    IntVector.fromMemorySegment(INTS, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector other =
                    ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsInts();
            packed(rounded(lower(one).add(lower(other))), rounded(upper(one).add(upper(other))))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void sum(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long bytes) {
        for (long at = 0; at < bytes; at += STRIDE) {
            IntVector one =
                    IntVector.fromMemorySegment(INTS, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector other = IntVector.fromMemorySegment(
                    INTS, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN);
            packed(rounded(lower(one).add(lower(other))), rounded(upper(one).add(upper(other))))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static FloatVector lower(IntVector pair) {
        return pair.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }

    private static FloatVector upper(IntVector pair) {
        return pair.and(BfloatBlock.UPPER).reinterpretAsFloats();
    }

    private static IntVector packed(IntVector lower, IntVector upper) {
        return lower.lanewise(VectorOperators.LSHR, Short.SIZE).or(upper.and(BfloatBlock.UPPER));
    }

    /** Rounds as {@link BfloatBlock} does: the upper half is the nearest bfloat16, ties to even. */
    static IntVector rounded(FloatVector values) {
        IntVector bits = values.reinterpretAsInts();
        IntVector odd = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1);
        return bits.add(odd).add(BfloatBlock.JUST_BELOW_HALF);
    }
}
