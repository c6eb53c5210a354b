package io.hearth.compression.block;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Codec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Another codec, or the plain values if that codec cannot carry them: NaN and infinity arrive as such and cost the full size in the steps
 * in which they occur. Its sizes vary, so it has no parts. A caller that knows that all values are well within the range of the other codec
 * may use that codec's parts ({@link #within}).
 */
public final class PassDenseCodec implements Codec {
    private final Codec codec;
    private final CodecKernels kernels;
    private final NoneCodec dense;

    /**
     * Wraps a codec.
     *
     * @param kernels of the engine that adds residuals to tensors that pass dense
     */
    public PassDenseCodec(Codec codec, CodecKernels kernels) {
        this.codec = codec;
        this.kernels = kernels;
        dense = new NoneCodec(kernels);
    }

    /** The wrapped codec, or {@code codec} itself if it is not a {@code PassDenseCodec}. */
    public static Codec within(Codec codec) {
        return codec instanceof PassDenseCodec passing ? passing.codec : codec;
    }

    @Override
    public String name() {
        return codec.name();
    }

    @Override
    public boolean lossless() {
        return codec.lossless();
    }

    @Override
    public boolean carriesNonFinite() {
        return true;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Math.max(codec.encodedBytesMax(count), dense.encodedBytesMax(count));
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) {
        return encode(values, count, 0, encoded);
    }

    @Override
    public long encode(MemorySegment values, long count, long seed, MemorySegment encoded) {
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        try {
            return codec.encode(values, count, seed, encoded);
        } catch (NonFiniteException notCarried) {
            return dense.encode(values, count, encoded);
        }
    }

    @Override
    public long encodeWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long count,
            long seed,
            MemorySegment encoded) {
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        try {
            return codec.encodeWithResidual(gradient, residual, nextResidual, count, seed, encoded);
        } catch (NonFiniteException notCarried) {
            kernels.add(nextResidual, 0, gradient, 0, residual, 0, count);
            long bytes = dense.encode(nextResidual, count, encoded);
            nextResidual.asSlice(0, count * Float.BYTES).fill((byte) 0); // all of it arrives
            return bytes;
        }
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        reader(encoded).decode(encoded, values, count);
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        reader(encoded).decodeAndAdd(encoded, values, count);
    }

    private Codec reader(MemorySegment encoded) {
        return Header.isOf(encoded, Header.NONE) ? dense : codec;
    }
}
