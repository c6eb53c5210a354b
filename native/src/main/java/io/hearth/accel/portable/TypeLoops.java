package io.hearth.accel.portable;

import io.hearth.accel.Operands;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The loops of one element type; offsets in bytes; operands were checked by {@link Operands} before. */
public interface TypeLoops {
    /** {@code target[i] = left[i] op right[i]}; {@code right} may be a {@code byte[]}. */
    void combine(
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count);

    /** {@code values[i] = values[i] / divisor}. */
    void divide(MemorySegment values, long offset, long count, int divisor);
}
