package io.hearth.accel.vector;

import io.hearth.accel.portable.TypeLoops;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/** INT64 by whole vectors straight on native memory; the elements after the last whole vector by arrays. */
final class LongVectors implements TypeLoops {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Long> SPECIES = VectorSpecies.of(long.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final TypeLoops tail;

    LongVectors(TypeLoops tail) {
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
        int bytes = (int) ((long) count * Long.BYTES / STRIDE * STRIDE);
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
                count - bytes / Long.BYTES);
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
        long bytes = (long) count * Long.BYTES / STRIDE * STRIDE;
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
                count - (int) (bytes / Long.BYTES));
    }

    /** Processors have no vector division of integers. */
    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        tail.divide(values, offset, count, divisor);
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsLongs())
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsLongs())
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsLongs())
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsLongs())
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(LongVector.fromMemorySegment(
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .min(LongVector.fromMemorySegment(
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .max(LongVector.fromMemorySegment(
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
            LongVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .mul(LongVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
