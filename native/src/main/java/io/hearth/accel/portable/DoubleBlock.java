package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** FLOAT64 in arrays. */
final class DoubleBlock implements Block {
    private static final int BLOCK = Block.BYTES / Double.BYTES;

    private final double[] left = new double[BLOCK];
    private final double[] right = new double[BLOCK];
    private final MemorySegment rightBytes = MemorySegment.ofArray(right);

    @Override
    public int elementBytes() {
        return Double.BYTES;
    }

    @Override
    public int elementsMax() {
        return BLOCK;
    }

    @Override
    public void setLeft(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, left, 0, n);
    }

    @Override
    public void setRight(byte[] bytes, int offset, int n) {
        MemorySegment.copy(bytes, offset, rightBytes, ValueLayout.JAVA_BYTE, 0, n * Double.BYTES);
    }

    @Override
    public void setRight(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, right, 0, n);
    }

    @Override
    public void combine(ReduceOp op, int n) {
        combine(op, left, right, n);
    }

    @Override
    public void divide(int divisor, int n) {
        for (int i = 0; i < n; i++) {
            left[i] /= divisor;
        }
    }

    @Override
    public void store(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(left, 0, memory, ValueLayout.JAVA_DOUBLE_UNALIGNED, offset, n);
    }

    /** {@code left[i] = left[i] op right[i]}; one plain loop per operation, the shape that C2 vectorises. */
    static void combine(ReduceOp op, double[] left, double[] right, int n) {
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
