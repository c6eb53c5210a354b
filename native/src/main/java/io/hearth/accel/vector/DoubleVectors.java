package io.hearth.accel.vector;

import io.hearth.accel.portable.TypeLoops;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/** FLOAT64 by whole vectors straight on native memory; the elements after the last whole vector by arrays. */
final class DoubleVectors implements TypeLoops {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Double> SPECIES = VectorSpecies.of(double.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final TypeLoops tail;

    DoubleVectors(TypeLoops tail) {
        this.tail = tail;
    }

    @Override
    public void combine(
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int count) {
        int bytes = (int) ((long) count * Double.BYTES / STRIDE * STRIDE);
        switch (op) {
            case SUM -> sum(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case MAX -> max(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case PROD -> product(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
        }
        tail.combine(
                op,
                target,
                targetOffset + bytes,
                left,
                leftOffset + bytes,
                right,
                rightOffset + bytes,
                count - bytes / Double.BYTES);
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
        long bytes = (long) count * Double.BYTES / STRIDE * STRIDE;
        switch (op) {
            case SUM -> sum(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> min(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case MAX -> max(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
            case PROD -> product(target, targetOffset, left, leftOffset, right, rightOffset, bytes);
        }
        tail.combine(
                op,
                target,
                targetOffset + bytes,
                left,
                leftOffset + bytes,
                right,
                rightOffset + bytes,
                count - (int) (bytes / Double.BYTES));
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Double.BYTES / STRIDE * STRIDE;
        DoubleVector by = DoubleVector.broadcast(SPECIES, (double) divisor);
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN)
                    .div(by)
                    .intoMemorySegment(NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Double.BYTES, divisor);
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
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsDoubles())
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            byte[] right,
            int rightOffset,
            int bytes) {
        for (int at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsDoubles())
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
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(DoubleVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void min(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long bytes) {
        for (long at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(DoubleVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void max(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long bytes) {
        for (long at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(DoubleVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static void product(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long bytes) {
        for (long at = 0; at < bytes; at += STRIDE) {
            DoubleVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(DoubleVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
