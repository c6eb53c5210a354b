package io.hearth.compression.memory;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import java.lang.foreign.MemorySegment;

/**
 * The residuals that a member keeps from one step to the next, so that what a lossy encoding left out is sent later.
 *
 * <p>Encoding has two phases, because a collective may be abandoned and run again from intact inputs: {@link #prepare} encodes and leaves
 * the memory unchanged; only {@link Pending#commit} changes it.
 *
 * <p>Off-heap memory until {@link #close}. One thread at a time.
 */
public abstract sealed class GradientMemory extends CompressionMemory permits ErrorFeedback, DgcMemory {
    GradientMemory(byte kind, int tensorsMax, boolean isNarrow) {
        super(kind, tensorsMax, isNarrow);
    }

    /** Most bytes that {@link #prepare} can write for {@code count} values. */
    public abstract long encodedBytesMax(long count);

    /**
     * Encodes the gradient plus the tensor's residual.
     *
     * @param key names the tensor; at its first use, or with another {@code count}, its residual is 0
     * @param gradient native memory, float32, at least {@code count}; borrowed, unchanged
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @throws NonFiniteException if gradient or sum is not finite and the encoding does not carry it; nothing is pending then and the
     *     residual of this size is kept
     * @throws IllegalStateException if this key is pending already, or is new and the memory is full
     */
    public abstract Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException;

    /**
     * Writes the exact sum of the gradient and the tensor's residual, which is 0 after the commit. Values that are not finite pass too, and
     * none of them stays in the memory.
     *
     * @param key as in {@link #prepare}
     * @param gradient as in {@link #prepare}; unchanged until {@link Pending#gradientEnds} or the end of the encoding
     * @param values native memory, float32, at least {@code count}, apart from the gradient; written
     * @throws IllegalStateException as {@link #prepare}
     */
    public abstract Pending prepareDense(String key, MemorySegment gradient, long count, MemorySegment values);
}
