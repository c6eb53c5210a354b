package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * BFLOAT16 two to an int lane: the upper one is a float32 once the lower half is cleared, the lower one once it is shifted up.
 * Both are combined as float32, rounded back and packed again, without ever changing the vector's shape.
 */
final class BfloatVectors implements Kernel {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final Kernel tail;

    BfloatVectors(Kernel tail) {
        this.tail = tail;
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        int bytes = (int) ((long) count * Short.BYTES / STRIDE * STRIDE);
        switch (op) {
            case SUM -> sum(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case MAX -> max(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case PROD -> product(accumulator, accumulatorOffset, input, inputOffset, bytes);
        }
        tail.accumulate(
                op, accumulator, accumulatorOffset + bytes, input, inputOffset + bytes, count - bytes / Short.BYTES);
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Short.BYTES / STRIDE * STRIDE;
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            IntVector pair = IntVector.fromMemorySegment(INTS, values, at, ByteOrder.LITTLE_ENDIAN);
            packed(lower(pair).div(divisor), upper(pair).div(divisor))
                    .intoMemorySegment(values, at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Short.BYTES, divisor);
    }

    private static void sum(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector left =
                    IntVector.fromMemorySegment(INTS, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector right =
                    ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts();
            packed(lower(left).add(lower(right)), upper(left).add(upper(right)))
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector left =
                    IntVector.fromMemorySegment(INTS, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector right =
                    ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts();
            packed(lower(left).min(lower(right)), upper(left).min(upper(right)))
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector left =
                    IntVector.fromMemorySegment(INTS, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector right =
                    ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts();
            packed(lower(left).max(lower(right)), upper(left).max(upper(right)))
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector left =
                    IntVector.fromMemorySegment(INTS, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
            IntVector right =
                    ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts();
            packed(lower(left).mul(lower(right)), upper(left).mul(upper(right)))
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static FloatVector lower(IntVector pair) {
        return pair.lanewise(VectorOperators.LSHL, Short.SIZE).reinterpretAsFloats();
    }

    private static FloatVector upper(IntVector pair) {
        return pair.and(BfloatBlocks.UPPER).reinterpretAsFloats();
    }

    private static IntVector packed(FloatVector lower, FloatVector upper) {
        return rounded(lower)
                .lanewise(VectorOperators.LSHR, Short.SIZE)
                .or(rounded(upper).and(BfloatBlocks.UPPER));
    }

    /** As {@link BfloatBlocks} rounds: the nearest bfloat16, ties to even, is the upper half. */
    private static IntVector rounded(FloatVector values) {
        IntVector bits = values.reinterpretAsInts();
        IntVector odd = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1);
        return bits.add(odd).add(BfloatBlocks.JUST_BELOW_HALF);
    }
}
