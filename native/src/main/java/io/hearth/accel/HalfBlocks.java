package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FLOAT16 or BFLOAT16 in blocks of arrays, combined as float32 and rounded back after each operation. */
final class HalfBlocks implements Kernel {
    static final int BLOCK = PortableReducer.BLOCK_BYTES / Float.BYTES;

    private final HalfFormat format;
    private final short[] bits = new short[BLOCK];
    private final MemorySegment bitsBytes = MemorySegment.ofArray(bits);
    private final float[] left = new float[BLOCK];
    private final float[] right = new float[BLOCK];

    HalfBlocks(HalfFormat format) {
        this.format = format;
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            long at = accumulatorOffset + (long) done * Short.BYTES;
            MemorySegment.copy(
                    input, inputOffset + done * Short.BYTES, bitsBytes, ValueLayout.JAVA_BYTE, 0, n * Short.BYTES);
            format.widen(bits, right, n);
            MemorySegment.copy(accumulator, ValueLayout.JAVA_SHORT_UNALIGNED, at, bits, 0, n);
            format.widen(bits, left, n);
            FloatBlocks.combine(op, left, right, n);
            format.narrow(left, bits, n);
            MemorySegment.copy(bits, 0, accumulator, ValueLayout.JAVA_SHORT_UNALIGNED, at, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            long at = offset + done * Short.BYTES;
            MemorySegment.copy(values, ValueLayout.JAVA_SHORT_UNALIGNED, at, bits, 0, n);
            format.widen(bits, left, n);
            for (int i = 0; i < n; i++) {
                left[i] /= divisor;
            }
            format.narrow(left, bits, n);
            MemorySegment.copy(bits, 0, values, ValueLayout.JAVA_SHORT_UNALIGNED, at, n);
        }
    }
}
