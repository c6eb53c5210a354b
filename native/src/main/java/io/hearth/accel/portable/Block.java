package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Arrays for a few thousand elements of one type, and the plain loops over them. A step is {@code setLeft}, {@code setRight},
 * {@code combine} (or {@code setLeft}, {@code divide}), {@code store}, all with the same {@code n}; offsets are in bytes.
 */
interface Block {
    /** Bytes of one array: both operands and the result stay in a 32 KiB first-level cache. */
    int BYTES = 4096;

    int elementBytes();

    /** The largest {@code n}. */
    int elementsMax();

    void setLeft(MemorySegment memory, long offset, int n);

    void setRight(MemorySegment memory, long offset, int n);

    /** {@code left[i] = left[i] op right[i]}. */
    void combine(ReduceOp op, int n);

    /** {@code left[i] = left[i] / divisor}. */
    void divide(int divisor, int n);

    /** Writes the left operand, which is now the result. */
    void store(MemorySegment memory, long offset, int n);
}
