package io.hearth.compression;

import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * A codec whose blocks are independent of one another, so that different members can encode, send, sum and decode parts of one tensor. The
 * number of values alone determines the size of an encoding. A part is an encoding of its own, with a header. The bodies of all parts, one
 * after the other, are the body of the whole.
 */
public interface BlockCodec extends Codec {
    /** The largest finite magnitude that the codec can encode. */
    default float largest() {
        return Float.MAX_VALUE;
    }

    /** Values per block: every part starts at a multiple of it, and every part but the last has a multiple of it. */
    int block();

    @Override
    default boolean fixedRate() {
        return true;
    }

    /**
     * Encodes a part.
     *
     * @param tensor native memory, float32, the whole tensor; borrowed
     * @param first index of the part's first value, a multiple of {@link #block}
     * @param seed the same for all parts of a tensor
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException as {@link #encode}; its index counts from the start of the tensor
     */
    default long encodePart(MemorySegment tensor, long first, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        try {
            return encode(part(tensor, first, count), count, seed, encoded);
        } catch (NonFiniteException within) {
            throw within.from(first);
        }
    }

    /**
     * Encodes values and leaves in their place the error of the encoding, for a caller that needs nothing else of them.
     *
     * @param values native memory, float32, at least {@code count}; written: each value minus its decoded value, 0 where the codec carried
     *     a value that is not finite
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException as {@link #encode}; {@code values} are without meaning then
     */
    default long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        long bytes = encode(values, count, seed, encoded);
        Residuals.leaveError(this, encoded.asSlice(0, bytes), values, count);
        return bytes;
    }

    /**
     * Encodes a part of {@code gradient + residual}. Its body and its next residual are those that {@link #encodeWithResidual} writes for
     * these values of the whole.
     *
     * @param gradient native memory, float32, the whole tensor; borrowed
     * @param residual as {@code gradient}
     * @param nextResidual as {@code gradient}, overlapping neither; written from {@code first} on, {@code count} values
     * @param first index of the part's first value, a multiple of {@link #block}
     * @param seed the same for all parts of a tensor
     * @param encoded native memory of at least {@link #encodedBytesMax} bytes; written
     * @return bytes written, {@code encodedBytesMax(count)}
     * @throws NonFiniteException as {@link #encodeWithResidual}; its index counts from the start of the tensor
     */
    default long encodePartWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long first,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        try {
            return encodeWithResidual(
                    part(gradient, first, count),
                    part(residual, first, count),
                    part(nextResidual, first, count),
                    count,
                    seed,
                    encoded);
        } catch (NonFiniteException within) {
            throw within.from(first);
        }
    }

    /** Decodes a part over {@code tensor[first .. first + count)}, otherwise as {@link #decode}. */
    default void decodePart(MemorySegment encoded, MemorySegment tensor, long first, long count)
            throws MalformedMessageException {
        decode(encoded, part(tensor, first, count), count);
    }

    /** Decodes a part and adds it to {@code tensor[first .. first + count)}, otherwise as {@link #decodeAndAdd}. */
    default void decodePartAndAdd(MemorySegment encoded, MemorySegment tensor, long first, long count)
            throws MalformedMessageException {
        decodeAndAdd(encoded, part(tensor, first, count), count);
    }

    /**
     * Checks that {@link #decode} would accept an encoding.
     *
     * @param encoded all bytes of one encoding, heap or native; borrowed
     * @throws MalformedMessageException as {@link #decode}
     */
    void check(MemorySegment encoded, long count) throws MalformedMessageException;

    private MemorySegment part(MemorySegment tensor, long first, long count) {
        Float32.checkPart(tensor, first, count, block());
        return tensor.asSlice(first * Float.BYTES, count * Float.BYTES);
    }
}
