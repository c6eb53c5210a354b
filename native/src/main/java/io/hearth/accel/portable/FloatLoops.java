package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * Sums of FLOAT32 in place, where the left operand is the target: the loop copies a block of the right operand into an array and runs
 * over the target itself. All other calls go block by block through arrays.
 *
 * <p>The loop accesses the target through a buffer, because C2 vectorises accesses to a buffer but not to a segment, and only one buffer
 * in a loop, since two might overlap. The method of the loop makes the buffer, so the compiler sees that it is new and allocates no
 * object. All of that matters. With a longer-lived buffer, with two, or in a loop unrolled by hand the code is scalar and slower than
 * with copies of all operands; a buffer from another method is allocated. {@code ReducerMicro} shows the difference.
 */
final class FloatLoops implements TypeLoops {
    private static final int BLOCK = Block.BYTES / Float.BYTES;

    private final TypeLoops others = new BlockLoops(ArrayBlock.ofFloats());
    private final float[] right = new float[BLOCK];

    @Override
    public void combine(
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment rights,
            long rightOffset,
            int count) {
        if (!isReached(op, target, targetOffset, left, leftOffset)) {
            others.combine(op, target, targetOffset, left, leftOffset, rights, rightOffset, count);
            return;
        }
        int n;
        for (int done = 0; done < count; done += n) {
            n = Math.min(BLOCK, count - done);
            long at = (long) done * Float.BYTES;
            MemorySegment.copy(rights, ValueLayout.JAVA_FLOAT_UNALIGNED, rightOffset + at, right, 0, n);
            add(target, targetOffset + at, right, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        others.divide(values, offset, count, divisor);
    }

    /** Whether the call is such a sum; a buffer has floats at multiples of four only. */
    private static boolean isReached(
            ReduceOp op, MemorySegment target, long targetOffset, MemorySegment left, long leftOffset) {
        long address = target.address() + targetOffset;
        return op == ReduceOp.SUM && address == left.address() + leftOffset && address % Float.BYTES == 0;
    }

    private static void add(MemorySegment target, long offset, float[] right, int n) {
        FloatBuffer sums = target.asSlice(offset, (long) n * Float.BYTES)
                .asByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
        for (int i = 0; i < n; i++) {
            sums.put(i, sums.get(i) + right[i]);
        }
    }
}
