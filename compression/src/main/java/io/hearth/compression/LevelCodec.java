package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** A codec that is {@link Levels} under a name. */
sealed interface LevelCodec extends BlockCodec permits Int8Codec, Int4Codec {
    Levels levels();

    @Override
    default boolean lossless() {
        return false;
    }

    @Override
    default int block() {
        return levels().block();
    }

    @Override
    default long encodedBytesMax(long count) {
        return levels().encodedBytes(count);
    }

    @Override
    default long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, 0, encoded);
    }

    @Override
    default long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        return levels().encode(values, 0, count, seed, encoded);
    }

    @Override
    default long encodePart(MemorySegment tensor, long first, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkPart(tensor, first, count, block());
        return levels().encode(tensor, first, count, seed, encoded);
    }

    @Override
    default long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(values, count);
        return levels().encodeLeavingError(values, count, seed, encoded);
    }

    @Override
    default long encodeOwing(
            MemorySegment gradient,
            MemorySegment owed,
            MemorySegment left,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(owed, count);
        Float32.checkRoom(left, count);
        return levels().encodeOwing(gradient, owed, left, 0, count, seed, encoded);
    }

    @Override
    default long encodePartOwing(
            MemorySegment gradient,
            MemorySegment owed,
            MemorySegment left,
            long first,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkPart(gradient, first, count, block());
        Float32.checkPart(owed, first, count, block());
        Float32.checkPart(left, first, count, block());
        return levels().encodeOwing(gradient, owed, left, first, count, seed, encoded);
    }

    @Override
    default void check(MemorySegment encoded, long count) throws MalformedMessageException {
        levels().check(encoded, count);
    }

    @Override
    default void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        levels().decode(encoded, values, count);
    }

    @Override
    default void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        levels().decodeAndAdd(encoded, values, count);
    }
}
