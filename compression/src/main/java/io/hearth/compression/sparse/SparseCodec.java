package io.hearth.compression.sparse;

import io.hearth.compression.Codec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * A codec that keeps some of the values. {@link SparseSum} adds its encodings. It can encode values that are never in memory as a whole.
 */
public sealed interface SparseCodec extends Codec permits TopKCodec, ChunkedTopKCodec {
    /** The run length, in values, that a source of {@code count} values needs. */
    int run(long count);

    /**
     * Encodes the values of a source as {@link #encode(MemorySegment, long, MemorySegment)} does the values in memory.
     *
     * @param source made for runs of {@link #run} values
     * @param candidates buffers for reuse
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
