package io.hearth.accel.vector;

import io.hearth.accel.portable.TypeLoops;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Sums and quotients of FLOAT32 by whole vectors straight on native memory; the last elements and all other operations by arrays. */
final class FloatVectors implements TypeLoops {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> SPECIES = VectorSpecies.of(float.class, BYTES.vectorShape());
    private static final int STRIDE = BYTES.vectorByteSize();

    private final TypeLoops tail;

    FloatVectors(TypeLoops tail) {
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
        long bytes = op == ReduceOp.SUM ? (long) count * Float.BYTES / STRIDE * STRIDE : 0;
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
                count - (int) (bytes / Float.BYTES));
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        long bytes = count * Float.BYTES / STRIDE * STRIDE;
        FloatVector by = FloatVector.broadcast(SPECIES, (float) divisor);
        for (long at = offset; at < offset + bytes; at += STRIDE) {
            FloatVector.fromMemorySegment(SPECIES, NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN)
                    .div(by)
                    .intoMemorySegment(NativeMemory.of(values), at, ByteOrder.LITTLE_ENDIAN);
        }
        tail.divide(values, offset + bytes, count - bytes / Float.BYTES, divisor);
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
            FloatVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(ByteVector.fromArray(BYTES, right, rightOffset + at).reinterpretAsFloats())
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
            FloatVector.fromMemorySegment(SPECIES, NativeMemory.of(left), leftOffset + at, ByteOrder.LITTLE_ENDIAN)
                    .add(FloatVector.fromMemorySegment(
                            SPECIES, NativeMemory.of(right), rightOffset + at, ByteOrder.LITTLE_ENDIAN))
                    .intoMemorySegment(NativeMemory.of(target), targetOffset + at, ByteOrder.LITTLE_ENDIAN);
        }
    }
}
