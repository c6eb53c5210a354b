package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Combines two runs of elements into a third: the inner loop of every collective.
 *
 * <p>All implementations give the same bits for the same inputs: element by element, {@code target = left op right} in that
 * order, no fused multiply-add, no reordering. So members with different engines still agree. The rules:
 *
 * <ul>
 *   <li>FLOAT32 and FLOAT64: IEEE 754, round to nearest even, subnormals kept.
 *   <li>FLOAT16 and BFLOAT16: widened to float32, combined there and rounded to nearest even back, at every operation.
 *       Since float32 has more than twice their precision, that is the correctly rounded 16-bit result.
 *   <li>MIN and MAX: NaN if either operand is NaN; -0 is below +0.
 *   <li>The sign and payload of a NaN result are not specified.
 *   <li>Integers wrap; their division truncates toward zero. UINT8 compares and divides unsigned.
 * </ul>
 *
 * <p>All memory is little-endian and may have any alignment; all offsets are in bytes. Overlap is judged by address: two mappings of the
 * same pages look apart, and the caller must not pass both.
 *
 * <p>An instance owns scratch memory (at most 64 KiB), so one thread at a time uses it; each thread takes its own from
 * {@code Engines.newReducer}. Calls allocate nothing once they are compiled. Instances of the Metal engine share buffers of the GPU.
 */
public interface Reducer {
    /** The codecs' loops of the same engine; unlike a reducer, threads may share them. */
    CodecKernels codecKernels();

    /** Name for logs and {@code --engine}: {@code portable}, {@code vector}, {@code metal} */
    String name();

    /**
     * {@code target[i] = left[i] op right[i]} for {@code count} elements.
     *
     * @param op SUM, MIN, MAX or PROD; AVG is SUM followed by {@link #divide}
     * @param target writable native memory; written
     * @param left native memory: the very elements of {@code target} (then it works in place) or none of them; borrowed
     * @param right native memory without any element of {@code target}, which may overlap {@code left}; or a {@code byte[]}; borrowed
     * @param count at least 0
     * @throws IllegalArgumentException if the elements do not lie within the operands, an operand is not such memory, {@code
     *     left} overlaps {@code target} in part or {@code right} at all, or {@code op} is AVG; nothing was written then
     */
    void combine(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count);

    /**
     * Allocates memory that the engine reads without a copy. Empty if the engine reads plain memory as fast, if no call of that size is
     * the engine's, and if it has no more memory. Any thread; the caller closes it.
     *
     * @param bytes at least 1
     */
    default Optional<EngineMemory> allocate(long bytes) {
        return Optional.empty();
    }

    /**
     * {@code values[i] = values[i] / divisor} for {@code count} elements; the second half of AVG.
     *
     * @param values writable native memory; written
     * @param count at least 0
     * @param divisor at least 1; rounded to the element's float type (float32 for 16-bit types) before it divides
     * @throws IllegalArgumentException if {@code divisor} is below 1, {@code values} is not such memory or the elements do not
     *     lie within it; nothing was written then
     */
    void divide(DataType type, MemorySegment values, long offset, long count, int divisor);
}
