package io.hearth.compression;

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

    @Override
    default boolean lossless() {
        return false;
    }
}
