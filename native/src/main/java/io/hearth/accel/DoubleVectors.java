package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** FLOAT64 by whole vectors straight on the accumulator; the elements after the last whole vector by arrays. */
final class DoubleVectors implements Kernel {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> SPECIES = VectorSpecies.of(double.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final Kernel tail;

    DoubleVectors(Kernel tail) {
        this.tail = tail;
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        int bytes = (int) ((long) count * Double.BYTES / STRIDE * STRIDE);
        switch (op) {
            case SUM -> sum(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case MAX -> max(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case PROD -> product(accumulator, accumulatorOffset, input, inputOffset, bytes);
        }
        tail.accumulate(
                op, accumulator, accumulatorOffset + bytes, input, inputOffset + bytes, count - bytes / Double.BYTES);
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Double.BYTES / STRIDE * STRIDE;
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, values, at, ByteOrder.LITTLE_ENDIAN)
                    .div((double) divisor)
                    .intoMemorySegment(values, at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Double.BYTES, divisor);
    }

    private static void sum(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
