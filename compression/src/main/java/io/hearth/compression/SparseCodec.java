package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** A codec that keeps some values, which {@link SparseSum} adds, and can encode values that are not in memory as a whole. */
sealed interface SparseCodec extends Codec permits TopKCodec, ChunkedTopKCodec {
    /** Values of a source that are looked at in one go, of {@code count}. */
    int run(long count);

    /**
     * Encodes the values of a source as {@link #encode(MemorySegment, long, MemorySegment)} does those of a memory.
     *
     * @param source made for {@link #run} values at a time
     * @param candidates room at hand
     */
    long encode(Source source, long count, Candidates candidates, MemorySegment encoded) throws NonFiniteException;

    /**
     * Checks every byte of an encoding.
     *
     * @throws MalformedMessageException as {@link #decode}
     */
    void check(MemorySegment encoded, long count) throws MalformedMessageException;

    @Override
    default void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        Sparse.scatter(encoded, values, count);
    }

    @Override
    default void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        Sparse.addAll(encoded, values, count);
    }

    @Override
    default boolean lossless() {
        return false;
    }
}
