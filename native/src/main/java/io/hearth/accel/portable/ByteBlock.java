package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** INT8 or UINT8 in arrays. */
final class ByteBlock implements Block {
    private static final int BLOCK = Block.BYTES;

    /** What turns unsigned order into signed order: the top bit for UINT8, nothing for INT8. */
    private final int flip;

    /** What cuts the sign extension off: 0xff for UINT8, nothing for INT8. */
    private final int mask;

    private final byte[] left = new byte[BLOCK];
    private final byte[] right = new byte[BLOCK];

    private ByteBlock(int flip, int mask) {
        this.flip = flip;
        this.mask = mask;
    }

    static ByteBlock signed() {
        return new ByteBlock(0, -1);
    }

    static ByteBlock unsigned() {
        return new ByteBlock(0x80, 0xff);
    }

    @Override
    public int elementBytes() {
        return Byte.BYTES;
    }

    @Override
    public int elementsMax() {
        return BLOCK;
    }

    @Override
    public void setLeft(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, left, 0, n);
    }

    @Override
    public void setRight(byte[] bytes, int offset, int n) {
        System.arraycopy(bytes, offset, right, 0, n);
    }

    @Override
    public void setRight(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, right, 0, n);
    }

    @Override
    public void divide(int divisor, int n) {
        for (int i = 0; i < n; i++) {
            left[i] = (byte) ((left[i] & mask) / divisor);
        }
    }

    @Override
    public void store(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(left, 0, memory, ValueLayout.JAVA_BYTE, offset, n);
    }

    @Override
    public void combine(ReduceOp op, int n) {
        switch (op) {
            case SUM -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (left[i] + right[i]);
                }
            }
            case AVG -> throw new AssertionError("refused by Operands");
            case MIN -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (Math.min((byte) (left[i] ^ flip), (byte) (right[i] ^ flip)) ^ flip);
                }
            }
            case MAX -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (Math.max((byte) (left[i] ^ flip), (byte) (right[i] ^ flip)) ^ flip);
                }
            }
            case PROD -> {
                for (int i = 0; i < n; i++) {
                    left[i] = (byte) (left[i] * right[i]);
                }
            }
        }
    }
}
