package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FLOAT16 (IEEE 754 binary16) in blocks of arrays, combined as float32 and rounded back after each operation. */
final class Float16Blocks implements Kernel {
    private static final int BLOCK = PortableReducer.BLOCK_BYTES / Float.BYTES;

    private final short[] bits = new short[BLOCK];
    private final MemorySegment bitsMemory = MemorySegment.ofArray(bits);
    private final float[] left = new float[BLOCK];
    private final float[] right = new float[BLOCK];

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            long at = accumulatorOffset + (long) done * Short.BYTES;
            MemorySegment.copy(
                    input, inputOffset + done * Short.BYTES, bitsMemory, ValueLayout.JAVA_BYTE, 0, n * Short.BYTES);
            widen(right, n);
            MemorySegment.copy(accumulator, ValueLayout.JAVA_SHORT_UNALIGNED, at, bits, 0, n);
            widen(left, n);
            FloatBlocks.combine(op, left, right, n);
            narrow(n);
            MemorySegment.copy(bits, 0, accumulator, ValueLayout.JAVA_SHORT_UNALIGNED, at, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            long at = offset + done * Short.BYTES;
            MemorySegment.copy(values, ValueLayout.JAVA_SHORT_UNALIGNED, at, bits, 0, n);
            widen(left, n);
            FloatBlocks.divide(left, n, divisor);
            narrow(n);
            MemorySegment.copy(bits, 0, values, ValueLayout.JAVA_SHORT_UNALIGNED, at, n);
        }
    }

    private void widen(float[] values, int n) {
        for (int i = 0; i < n; i++) {
            values[i] = Float.float16ToFloat(bits[i]);
        }
    }

    private void narrow(int n) {
        for (int i = 0; i < n; i++) {
            bits[i] = Float.floatToFloat16(left[i]);
        }
    }
}
