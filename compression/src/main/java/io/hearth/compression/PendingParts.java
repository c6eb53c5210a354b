package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/**
 * An encoding that is made part by part, by one thread at a time, which need not be the one that began it: whoever hands over
 * from one thread to another makes their actions happen one after the other.
 */
public interface PendingParts extends Pending {
    /**
     * Encodes the values from {@code first} on; parts come in any order, each once, from any thread, also several
     * at a time.
     *
     * @param first a multiple of {@link BlockCodec#block}
     * @param count a multiple of {@link BlockCodec#block} but in the tensor's last part, which ends with the tensor
     * @param encoded native memory of at least {@link ErrorFeedback#encodedBytesMax} bytes; written
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException as {@link GradientMemory#prepare}; its index counts from the start of the tensor, and the part
     *     counts as not encoded
     * @throws IllegalArgumentException if that is no part of the tensor, or some of it was encoded before
     */
    long encode(long first, long count, MemorySegment encoded) throws NonFiniteException;

    /**
     * Encodes the sum of all members' parts, which this member makes for all of them, and owes what that leaves out: sums of
     * encodings, encoded once more, lose nothing over time if both sides make up for what they left out (Tang et al.,
     * "DoubleSqueeze", ICML 2019, algorithm 1).
     *
     * @param first of the part, whose own values were encoded before
     * @param sum native memory, float32, {@code count} values; written: what the encoding leaves out
     * @param divisor by which the sum was divided already, 1 or more; what is owed is of the sum before that
     * @param draw the codec's seed
     * @param encoded as in {@link #encode}
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException if a value of the sum cannot be carried; its index counts from the start of the part
     * @throws IllegalStateException if the own values were not encoded yet
     */
    long encodeSum(long first, long count, MemorySegment sum, int divisor, long draw, MemorySegment encoded)
            throws NonFiniteException;

    /** Size of the encodings of all parts so far, their headers included. */
    @Override
    long encodedBytes();

    /**
     * All parts were summed: what they left out is now owed.
     *
     * @throws IllegalStateException if a value was not encoded; all is as before then
     */
    @Override
    void commit();
}
