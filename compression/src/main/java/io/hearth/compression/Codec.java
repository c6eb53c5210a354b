package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Turns float32 gradients into fewer bytes and back.
 *
 * <p>Encoding is a pure function of its input; codecs that draw random numbers take a seed. Decoding never reads or writes out of bounds,
 * whatever the bytes are, and gives the same values on every machine. The caller keeps the residuals of error feedback.
 *
 * <p>NaN and infinity never become finite numbers: a codec carries them ({@link #carriesNonFinite}) or names the first one.
 *
 * <p>Codecs have no state, so threads may share them. A call allocates at most what a block needs, never in proportion to its count.
 */
public interface Codec {
    /** Name for configuration, logs and the agreement between ranks: {@code none}, {@code int8}, {@code topk}, … */
    String name();

    /** Whether decoding gives back exactly what was encoded. */
    boolean lossless();

    /** Whether NaN and infinity arrive as such (which NaN is not specified); otherwise encoding rejects them. */
    default boolean carriesNonFinite() {
        return lossless();
    }

    /** Whether every encoding of {@code count} values has exactly {@link #encodedBytesMax} bytes. */
    default boolean fixedRate() {
        return false;
    }

    /** Most bytes that {@link #encode} can write for {@code count} values. */
    long encodedBytesMax(long count);

    /**
     * Encodes {@code count} values; a codec that draws random numbers uses the seed 0.
     *
     * @param values native memory, float32, little-endian, at least {@code count} of them; borrowed
     * @param count 0 or more
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @return bytes written
     * @throws NonFiniteException if a value is not finite and the codec does not carry it, or is finite and beyond its range;
     *     {@code encoded} is undefined then
     */
    long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException;

    /**
     * Encodes as {@link #encode(MemorySegment, long, MemorySegment)}, with the given seed for a codec that draws random numbers.
     *
     * @param seed any; a decoder does not need it
     */
    default long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, encoded);
    }

    /**
     * Encodes {@code gradient + residual} and computes the next residual.
     *
     * @param gradient native memory, float32, at least {@code count}; borrowed
     * @param residual as {@code gradient}
     * @param nextResidual native memory for {@code count} values, overlapping neither; written: the sum minus its decoded value, 0 where
     *     the codec carried a sum that is NaN or infinite
     * @throws NonFiniteException as {@link #encode}, about the sum; {@code nextResidual} is undefined then
     */
    default long encodeWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        return Residuals.encode(this, gradient, residual, nextResidual, count, seed, encoded);
    }

    /**
     * Decodes exactly {@code count} values and overwrites {@code values} with them.
     *
     * @param encoded all bytes of one encoding, heap or native; borrowed
     * @param values native memory for {@code count} float32 values; written
     * @throws MalformedMessageException if the bytes are not an encoding of {@code count} values; {@code values} may be partly written then
     */
    void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /**
     * Decodes and adds: {@code values[i] = values[i] + decoded[i]}, the same bits as {@link #decode} followed by an addition.
     *
     * @throws MalformedMessageException as {@link #decode}; thrown before anything is added
     */
    void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;
}
