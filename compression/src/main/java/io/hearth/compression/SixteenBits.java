package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.HalfFloat;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * A codec that keeps 16 bits of each value. Body: {@code count} of them, little-endian.
 *
 * <p>NaN and infinity arrive as such. A finite value that would round to infinity is rejected with an error that names it. Passing it on
 * would make a finite gradient infinite, and clipping it would be a silent error.
 */
sealed interface SixteenBits extends BlockCodec permits Fp16Codec, Bf16Codec {
    byte id();

    HalfFloat format();

    CodecKernels kernels();

    @Override
    default float largest() {
        return format().largest();
    }

    @Override
    default boolean lossless() {
        return false;
    }

    @Override
    default boolean carriesNonFinite() {
        return true;
    }

    @Override
    default int block() {
        return 1;
    }

    @Override
    default long encodedBytesMax(long count) {
        return Header.BYTES + count * Short.BYTES;
    }

    @Override
    default long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        refuse(kernels().narrow(format(), values, 0, count, encoded, Header.BYTES), 0, values);
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    @Override
    default long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        refuse(kernels().narrowLeavingError(format(), values, 0, count, encoded, Header.BYTES), 0, values);
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    /** Works block by block, so that one pass over the memory makes the sum, its 16-bit values and the next residual. */
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
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            long at = done * Float.BYTES;
            kernels().add(nextResidual, at, gradient, at, residual, at, n);
            long halvesAt = Header.BYTES + done * Short.BYTES;
            refuse(kernels().narrowLeavingError(format(), nextResidual, at, n, encoded, halvesAt), done, nextResidual);
        }
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    private void refuse(long beyond, long first, MemorySegment values) throws NonFiniteException {
        if (beyond != CodecKernels.NONE) {
            float value = values.get(Float32.FLOAT, (first + beyond) * Float.BYTES);
            throw NonFiniteException.beyond(first + beyond, value, name(), format().largest());
        }
    }

    @Override
    default void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels().widen(format(), encoded, Header.BYTES, values, 0, count);
    }

    @Override
    default void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels().widenAndAdd(format(), encoded, Header.BYTES, values, 0, count);
    }

    @Override
    default void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, id(), 0, count);
        if (encoded.byteSize() != encodedBytesMax(count)) {
            throw new MalformedMessageException(count + " " + name() + " values need " + encodedBytesMax(count)
                    + " bytes, got " + encoded.byteSize());
        }
    }
}
