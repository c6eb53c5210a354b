package io.hearth.compression.memory;

import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import java.lang.foreign.MemorySegment;

/**
 * An encoding that is made part by part. Any thread may encode parts, several at a time. The thread that ends the encoding need not be the
 * one that began it; the caller orders their actions (happens-before).
 */
public interface PendingParts extends Pending {
    /**
     * Encodes the values from {@code first} on; parts come in any order, each once, from any thread, several at a time too.
     *
     * @param first a multiple of {@link BlockCodec#block}
     * @param count a multiple of {@link BlockCodec#block}, except in the last part, which ends with the tensor
     * @param encoded native memory of at least {@link ErrorFeedback#encodedBytesMax} bytes; written
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException as {@link GradientMemory#prepare}; its index counts from the start of the tensor, and the part counts as
     *     not encoded
     * @throws IllegalArgumentException if the range is not a part of the tensor, or some of it was encoded before
     */
    long encode(long first, long count, MemorySegment encoded) throws NonFiniteException;

    /**
     * Encodes the sum of all members' parts, which this member computes for all of them, and adds the error of that encoding to its own
     * residual. Sums of encodings that are encoded once more lose nothing over time if both encodings have error feedback (Tang et al.,
     * "DoubleSqueeze", ICML 2019, algorithm 1).
     *
     * @param first of the part, whose own values were encoded before
     * @param sum native memory, float32, {@code count} values; written: the error of the encoding
     * @param divisor by which the sum was divided already, 1 or more; the residual is that of the undivided sum
     * @param draw the codec's seed
     * @param encoded as in {@link #encode}
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException if a value of the sum cannot be carried; its index counts from the start of the part
     * @throws IllegalStateException if this member's own values of the part were not encoded yet
     */
    long encodeSum(long first, long count, MemorySegment sum, int divisor, long draw, MemorySegment encoded)
            throws NonFiniteException;

    /** Size of the encodings of all parts so far, their headers included. */
    @Override
    long encodedBytes();

    /**
     * All parts were summed: their residuals are kept.
     *
     * @throws IllegalStateException if a value was not encoded; nothing changes then
     */
    @Override
    void commit();
}
