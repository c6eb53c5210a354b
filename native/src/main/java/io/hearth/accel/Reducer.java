package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Combines a received segment into an accumulator: the inner loop of every collective.
 *
 * <p>All implementations give the same bits for the same inputs: element by element, {@code accumulator = accumulator op
 * input} in that order, no fused multiply-add, no reordering. So members with different engines still agree. The rules:
 *
 * <ul>
 *   <li>FLOAT32 and FLOAT64: IEEE 754, round to nearest even, subnormals kept.
 *   <li>FLOAT16 and BFLOAT16: widened to float32, combined there and rounded to nearest even back, at every operation.
 *       Since float32 has more than twice their precision, that is the correctly rounded 16-bit result.
 *   <li>MIN and MAX: NaN if either operand is NaN; -0 is below +0.
 *   <li>Which NaN a NaN result is (sign, payload) is not specified.
 *   <li>Integers wrap; their division truncates toward zero. UINT8 compares and divides unsigned.
 * </ul>
 *
 * <p>An instance owns scratch memory (at most 64 KiB), so one thread at a time uses it; each thread takes its own from
 * {@link Engine#newReducer}. Calls allocate nothing.
 */
public interface Reducer {
    /** Name for logs and {@code --engine}: {@code portable}, {@code vector}, … */
    String name();

    /**
     * {@code accumulator[i] = accumulator[i] op input[i]} for {@code count} elements.
     *
     * @param op SUM, MIN, MAX or PROD; AVG is SUM followed by {@link #divide}
     * @param accumulator native memory, any alignment, little-endian, at least {@code count} elements; written
     * @param input little-endian elements from {@code inputOffset}; borrowed
     * @param inputOffset in bytes, any alignment
     * @throws IllegalArgumentException if the bounds do not fit, the accumulator is not writable native memory, or {@code op}
     *     is AVG; nothing was written then
     */
    void accumulate(DataType type, ReduceOp op, MemorySegment accumulator, byte[] input, int inputOffset, int count);

    /**
     * {@code values[i] = values[i] / divisor} for all elements; the second half of AVG.
     *
     * @param values writable native memory, any alignment, a whole number of elements; written
     * @param divisor at least 1; rounded to the element's float type (float32 for 16-bit types) before it divides
     * @throws IllegalArgumentException if {@code divisor} or the size does not fit; nothing was written then
     */
    void divide(DataType type, MemorySegment values, int divisor);
}
