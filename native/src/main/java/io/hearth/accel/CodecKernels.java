package io.hearth.accel;

import java.lang.foreign.MemorySegment;

/**
 * The inner loops of the codecs: quantise and pack, unpack and add, find large values.
 *
 * <p>All implementations give the same bits for the same inputs: float32 arithmetic in the order that each method states, rounded
 * to nearest even, no fused multiply-add.
 *
 * <p>Values are float32, little-endian, in native memory of any alignment; bodies are laid out as {@link BlockFormat} says, in
 * native memory or in an array. Offsets are in bytes, counts in values. The caller checks the bytes of a body ({@link #badBlock}) before
 * it unpacks them; memory outside of an operand is never touched, whatever the bytes are.
 *
 * <p>Stateless: threads may share an instance. A call allocates at most what one block needs, never in proportion to its count.
 */
public interface CodecKernels {
    /** The result of {@link #quantise} and {@link #badBlock} that means: no bad value, no bad block. */
    long NONE = -1;

    /** Name for logs, as {@link Engine#label}. */
    String name();

    /** {@code target[i] = left[i] + right[i]}; {@code target} may be one of the two, and must not overlap either in part. */
    void add(
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            long count);

    /**
     * Quantises: each level is {@code value / scale} rounded.
     *
     * @param firstBlock number of the first block within its tensor; enters stochastic rounding only
     * @param body written, {@code format.bytes(count)}
     * @return {@link #NONE}, or the index of the first value that is NaN or infinite; then the body is without meaning
     */
    default long quantise(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset) {
        return quantise(format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset, false);
    }

    /**
     * Quantises as {@link #quantise} and leaves the error in {@code values}: {@code values[i] = values[i] - level[i] * scale}.
     *
     * @param values written
     * @return as {@link #quantise}; then the values of earlier blocks may be overwritten
     */
    default long quantiseLeavingError(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset) {
        return quantise(format, rounding, firstBlock, values, valuesOffset, count, body, bodyOffset, true);
    }

    /** {@link #quantise}, or {@link #quantiseLeavingError} if {@code leavesError}: what an engine implements. */
    long quantise(
            BlockFormat format,
            Rounding rounding,
            long firstBlock,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment body,
            long bodyOffset,
            boolean leavesError);

    /** {@code values[i] = level[i] * scale}. */
    default void dequantise(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        dequantise(format, body, bodyOffset, values, valuesOffset, count, false);
    }

    /** {@code values[i] = values[i] + level[i] * scale}, the product rounded first. */
    default void dequantiseAndAdd(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        dequantise(format, body, bodyOffset, values, valuesOffset, count, true);
    }

    /** {@link #dequantise}, or {@link #dequantiseAndAdd} if {@code adds}: what an engine implements. */
    void dequantise(
            BlockFormat format,
            MemorySegment body,
            long bodyOffset,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean adds);

    /**
     * Finds a block that no encoder writes: a scale that is NaN, infinite, negative or above {@link BlockFormat#scaleMax}, the level
     * below the least, a filled half byte after the last level.
     *
     * @return the index of the first value of the first bad block, or {@link #NONE}
     */
    long badBlock(BlockFormat format, MemorySegment body, long bodyOffset, long count);

    /**
     * Stores each value in 16 bits.
     *
     * @param halves written, two bytes for each value, little-endian, in native memory or an array
     * @return {@link #NONE}, or the index of the first finite value that would become infinite; then {@code halves} is without meaning
     */
    default long narrow(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset) {
        return narrow(format, values, valuesOffset, count, halves, halvesOffset, false);
    }

    /**
     * Narrows as {@link #narrow} and leaves the error in {@code values}: {@code values[i] = values[i] - widened[i]}, 0 where the value is
     * not finite.
     *
     * @param values written
     * @return as {@link #narrow}; then values before that are overwritten
     */
    default long narrowLeavingError(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset) {
        return narrow(format, values, valuesOffset, count, halves, halvesOffset, true);
    }

    /** {@link #narrow}, or {@link #narrowLeavingError} if {@code leavesError}: what an engine implements. */
    long narrow(
            HalfFloat format,
            MemorySegment values,
            long valuesOffset,
            long count,
            MemorySegment halves,
            long halvesOffset,
            boolean leavesError);

    /** Reads what {@link #narrow} wrote, exactly. */
    default void widen(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        widen(format, halves, halvesOffset, values, valuesOffset, count, false);
    }

    /** {@code values[i] = values[i] + widened[i]}. */
    default void widenAndAdd(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count) {
        widen(format, halves, halvesOffset, values, valuesOffset, count, true);
    }

    /** {@link #widen}, or {@link #widenAndAdd} if {@code adds}: what an engine implements. */
    void widen(
            HalfFloat format,
            MemorySegment halves,
            long halvesOffset,
            MemorySegment values,
            long valuesOffset,
            long count,
            boolean adds);

    /**
     * Finds the values whose magnitude, as 31 bits, is at least {@code leastBits}; NaN and infinity are above all finite ones.
     *
     * @param count at most {@code indices.length} less {@link #SELECT_SLACK}
     * @param indices written from the start: their places, 0 to {@code count - 1}, rising; the rest of the array is undefined
     * @return how many there are
     */
    int select(MemorySegment values, long valuesOffset, int count, int leastBits, int[] indices);

    /**
     * Counts the values whose magnitude is at least {@link MagnitudeHistogram#low}, in addition to those that {@code histogram} has
     * counted.
     *
     * @param count at least 0
     * @param histogram written
     */
    void histogram(MemorySegment values, long valuesOffset, long count, MagnitudeHistogram histogram);

    /** The products of matrices by the same engine. */
    MatrixKernels matrices();

    /**
     * Length of the runs into which a caller should cut {@code count} values if it does several things to each value: a run stays in a
     * first-level cache, or is longer where one submission of that kernel to a GPU is faster. A multiple of 1,024, at most
     * {@link #RUN_MAX}.
     *
     * @param kernel the kernel that the caller calls for each run
     */
    int run(KernelKind kernel, long count);

    /** As the other {@link #run(KernelKind, long) run}, for a caller that quantises each run to that format. */
    int run(BlockFormat format, long count);

    /** Most values of a {@link #run(KernelKind, long) run}: a caller keeps 4 MiB for one. */
    int RUN_MAX = 1 << 20;

    /** The array of {@link #select} must be this much longer than the count, because kernels write whole vectors. */
    int SELECT_SLACK = 64;
}
