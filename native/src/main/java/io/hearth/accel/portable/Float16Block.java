package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FLOAT16 (IEEE 754 binary16) in arrays, combined as float32 and rounded back after each operation. */
final class Float16Block implements Block {
    private static final int BLOCK = Block.BYTES / Float.BYTES;

    private final short[] bits = new short[BLOCK];
    private final float[] left = new float[BLOCK];
    private final float[] right = new float[BLOCK];

    @Override
    public int elementBytes() {
        return Short.BYTES;
    }

    @Override
    public int elementsMax() {
        return BLOCK;
    }

    @Override
    public void setLeft(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, bits, 0, n);
        widen(left, n);
    }

    @Override
    public void setRight(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, bits, 0, n);
        widen(right, n);
    }

    @Override
    public void combine(ReduceOp op, int n) {
        ArrayBlock.combine(op, left, right, n);
    }

    @Override
    public void divide(int divisor, int n) {
        ArrayBlock.divide(left, n, divisor);
    }

    @Override
    public void store(MemorySegment memory, long offset, int n) {
        for (int i = 0; i < n; i++) {
            bits[i] = Float.floatToFloat16(left[i]);
        }
        MemorySegment.copy(bits, 0, memory, ValueLayout.JAVA_SHORT_UNALIGNED, offset, n);
    }

    private void widen(float[] values, int n) {
        for (int i = 0; i < n; i++) {
            values[i] = Float.float16ToFloat(bits[i]);
        }
    }
}
