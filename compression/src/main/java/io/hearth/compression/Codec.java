package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Turns float32 gradients into fewer bytes and back.
 *
 * <p>Encoding is a pure function of its input. Decoding never reads or writes out of bounds, whatever the bytes are, and gives
 * the same values on every machine. Error feedback is kept beside it, by its user.
 */
public interface Codec {
    /** Name for configuration, logs and the agreement between ranks: {@code none}, {@code int8}, {@code topk}. */
    String name();

    /** Whether decoding gives back exactly what was encoded. */
    boolean lossless();

    /** Most bytes that {@link #encode} can write for {@code count} values. */
    long encodedBytesMax(long count);

    /**
     * Encodes {@code count} values.
     *
     * @param values native memory, float32, little-endian, at least {@code count} of them; borrowed
     * @param count 0 or more
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @return bytes written
     * @throws NonFiniteException if the codec is lossy and a value is NaN or infinite; nothing useful was written
     */
    long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException;

    /**
     * Decodes exactly {@code count} values over what {@code values} held.
     *
     * @param encoded all bytes of one encoding, heap or native; borrowed
     * @param values native memory for {@code count} float32 values; written
     * @throws MalformedMessageException if the bytes are not an encoding of {@code count} values; {@code values} may be
     *     partly written then
     */
    void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;

    /**
     * Decodes and adds: {@code values[i] = values[i] + decoded[i]}, the same bits as {@link #decode} followed by an addition.
     *
     * @throws MalformedMessageException as {@link #decode}; found before anything is added
     */
    void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;
}
