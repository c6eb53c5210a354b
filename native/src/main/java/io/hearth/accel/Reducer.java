package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Combines a received segment into an accumulator: the inner loop of every collective.
 *
 * <p>All implementations give the same bits for the same inputs: element by element, {@code accumulator = accumulator op
 * input} in that order, no fused multiply-add, no reordering. So members with different engines still agree.
 */
public interface Reducer {
    /** Name for logs and {@code --engine}: {@code portable}, {@code vector}, … */
    String name();

    /**
     * {@code accumulator[i] = accumulator[i] op input[i]} for {@code count} elements.
     *
     * @param op SUM, MIN, MAX or PROD; AVG is SUM followed by {@link #divide}
     * @param accumulator native memory, little-endian, at least {@code count} elements; written
     * @param input little-endian elements from {@code inputOffset}; borrowed
     * @param inputOffset in bytes, any alignment
     * @throws IllegalArgumentException if the bounds do not fit, or the pair of type and operation is unknown
     */
    void accumulate(DataType type, ReduceOp op, MemorySegment accumulator, byte[] input, int inputOffset, int count);

    /**
     * {@code values[i] = values[i] / divisor} for all elements; the second half of AVG.
     *
     * @param values native memory, a whole number of elements; written
     * @param divisor at least 1
     */
    void divide(DataType type, MemorySegment values, int divisor);
}
