package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The loops of one element type; operands were checked by {@link Operands} before. */
interface Kernel {
    /** {@code accumulator[i] = accumulator[i] op input[i]}; {@code accumulatorOffset} and {@code inputOffset} in bytes. */
    void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count);

    /** {@code values[i] = values[i] / divisor}; {@code offset} in bytes. */
    void divide(MemorySegment values, long offset, long count, int divisor);
}
