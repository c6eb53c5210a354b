package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** FLOAT32 by whole vectors straight on the accumulator; the elements after the last whole vector by arrays. */
final class FloatVectors implements Kernel {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> SPECIES = VectorSpecies.of(float.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final Kernel tail;

    FloatVectors(Kernel tail) {
        this.tail = tail;
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        int bytes = (int) ((long) count * Float.BYTES / STRIDE * STRIDE);
        switch (op) {
            case SUM -> sum(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case MAX -> max(accumulator, accumulatorOffset, input, inputOffset, bytes);
            case PROD -> product(accumulator, accumulatorOffset, input, inputOffset, bytes);
        }
        tail.accumulate(
                op, accumulator, accumulatorOffset + bytes, input, inputOffset + bytes, count - bytes / Float.BYTES);
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Float.BYTES / STRIDE * STRIDE;
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, values, at, ByteOrder.LITTLE_ENDIAN)
                    .div((float) divisor)
                    .intoMemorySegment(values, at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Float.BYTES, divisor);
    }

    private static void sum(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsFloats())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsFloats())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsFloats())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(ByteVector.fromArray(BYTES, input, inputOffset + at).reinterpretAsFloats())
                    .intoMemorySegment(accumulator, accumulatorOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
