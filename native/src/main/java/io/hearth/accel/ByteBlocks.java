package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** INT8 or UINT8 in blocks of arrays. */
final class ByteBlocks implements Kernel {
    private static final int BLOCK = PortableReducer.BLOCK_BYTES;

    /** What turns unsigned order into signed order: the top bit for UINT8, nothing for INT8. */
    private final int flip;

    /** What cuts the sign extension off: 0xff for UINT8, nothing for INT8. */
    private final int mask;

    private final byte[] left = new byte[BLOCK];
    private final byte[] right = new byte[BLOCK];

    private ByteBlocks(int flip, int mask) {
        this.flip = flip;
        this.mask = mask;
    }

    static ByteBlocks signed() {
        return new ByteBlocks(0, -1);
    }

    static ByteBlocks unsigned() {
        return new ByteBlocks(0x80, 0xff);
    }

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            long at = accumulatorOffset + done;
            MemorySegment.copy(accumulator, ValueLayout.JAVA_BYTE, at, left, 0, n);
            System.arraycopy(input, (int) (inputOffset + done), right, 0, n);
            combine(op, n);
            MemorySegment.copy(left, 0, accumulator, ValueLayout.JAVA_BYTE, at, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            long at = offset + done;
            MemorySegment.copy(values, ValueLayout.JAVA_BYTE, at, left, 0, n);
            for (int i = 0; i < n; i++) {
                left[i] = (byte) ((left[i] & mask) / divisor);
            }
            MemorySegment.copy(left, 0, values, ValueLayout.JAVA_BYTE, at, n);
        }
    }

    private void combine(ReduceOp op, int n) {
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
