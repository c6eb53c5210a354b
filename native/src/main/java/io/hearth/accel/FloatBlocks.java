package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FLOAT32 in blocks of arrays. */
final class FloatBlocks implements Kernel {
    private static final int BLOCK = PortableReducer.BLOCK_BYTES / Float.BYTES;

    private final float[] left = new float[BLOCK];
    private final float[] right = new float[BLOCK];
    private final MemorySegment rightBytes = MemorySegment.ofArray(right);

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            long at = accumulatorOffset + (long) done * Float.BYTES;
            MemorySegment.copy(accumulator, ValueLayout.JAVA_FLOAT_UNALIGNED, at, left, 0, n);
            MemorySegment.copy(
                    input, inputOffset + done * Float.BYTES, rightBytes, ValueLayout.JAVA_BYTE, 0, n * Float.BYTES);
            combine(op, left, right, n);
            MemorySegment.copy(left, 0, accumulator, ValueLayout.JAVA_FLOAT_UNALIGNED, at, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            long at = offset + done * Float.BYTES;
            MemorySegment.copy(values, ValueLayout.JAVA_FLOAT_UNALIGNED, at, left, 0, n);
            divide(left, n, divisor);
            MemorySegment.copy(left, 0, values, ValueLayout.JAVA_FLOAT_UNALIGNED, at, n);
        }
    }

    /** {@code values[i] = values[i] / divisor}, the divisor rounded to float32. */
    static void divide(float[] values, int n, int divisor) {
        for (int i = 0; i < n; i++) {
            values[i] /= divisor;
        }
    }

    /** {@code left[i] = left[i] op right[i]}; one plain loop per operation, the shape that C2 vectorises. */
    static void combine(ReduceOp op, float[] left, float[] right, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] += right[i];
                }
            }
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.min(left[i], right[i]);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = Math.max(left[i], right[i]);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] *= right[i];
                }
            }
        }
    }
}
