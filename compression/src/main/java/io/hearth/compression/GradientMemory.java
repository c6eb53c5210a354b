package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/**
 * What a member remembers of each tensor from one step to the next, so that what a lossy encoding left out is sent later.
 *
 * <p>In two phases, because a collective may be given up and run again from intact inputs: {@link #prepare} encodes and leaves
 * the memory as it was; only {@link Pending#commit} changes it.
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
     * Encodes the gradient and what this tensor is owed.
     *
     * @param key names the tensor; a first use, or one with another {@code count}, starts with nothing owed
     * @param gradient native memory, float32, at least {@code count}; borrowed, unchanged
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @throws NonFiniteException if gradient or sum is not finite and the encoding does not carry it; nothing is pending then and
     *     nothing owed to this size is lost
     * @throws IllegalStateException if this key is pending already, or a new key is one too many
     */
    public abstract Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException;

    /**
     * Takes the gradient and all that this tensor is owed as they are: nothing is left out. Values that are not finite pass too, and none
     * of them stays.
     *
     * @param key as in {@link #prepare}
     * @param gradient as in {@link #prepare}, and as it is until the end of what is returned
     * @param values native memory, float32, at least {@code count}, apart from the gradient; written
     * @throws IllegalStateException as {@link #prepare}
     */
    public abstract Pending prepareDense(String key, MemorySegment gradient, long count, MemorySegment values);
}
