package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/** INT32 by whole vectors straight on the accumulator; the elements after the last whole vector by arrays. */
final class IntVectors implements Kernel {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> SPECIES = VectorSpecies.of(int.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final Kernel tail;

    IntVectors(Kernel tail) {
        this.tail = tail;
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        int bytes = (int) ((long) count * Integer.BYTES / STRIDE * STRIDE);
        switch (op) {
            case SUM -> sum(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case MAX -> max(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case PROD -> product(accumulator, accumulatorOffset, input, inputOffset, bytes);
        }
        tail.accumulate(
                op, accumulator, accumulatorOffset + bytes, input, inputOffset + bytes, count - bytes / Integer.BYTES);
    }

    /** Processors have no vector division of integers. */
    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        tail.divide(values, offset, count, divisor);
    }

    private static void sum(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            IntVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsInts())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
