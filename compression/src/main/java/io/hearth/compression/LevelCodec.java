package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** A codec that delegates to {@link Levels}. */
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
    default long encodeWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(residual, count);
        Float32.checkRoom(nextResidual, count);
        return levels().encodeWithResidual(gradient, residual, nextResidual, 0, count, seed, encoded);
    }

    @Override
    default long encodePartWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long first,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkPart(gradient, first, count, block());
        Float32.checkPart(residual, first, count, block());
        Float32.checkPart(nextResidual, first, count, block());
        return levels().encodeWithResidual(gradient, residual, nextResidual, first, count, seed, encoded);
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
