package io.hearth.compression.block;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.HalfFloat;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * {@code fp16} and {@code bf16}: keeps 16 bits of each value. Body: {@code count} of them, little-endian. {@code fp16} is for gradients that
 * are scaled to its range.
 *
 * <p>NaN and infinity arrive as such. A finite value that would round to infinity is rejected with an error that names it. Passing it on
 * would make a finite gradient infinite, and clipping it would be a silent error.
 */
public final class HalfCodec implements BlockCodec {
    private final HalfFloat format;
    private final CodecKernels kernels;

    /** Encodes with the kernels of an engine. */
    public HalfCodec(HalfFloat format, CodecKernels kernels) {
        this.format = format;
        this.kernels = kernels;
    }

    private byte id() {
        return switch (format) {
            case BINARY16 -> Header.FP16;
            case BFLOAT16 -> Header.BF16;
        };
    }

    @Override
    public String name() {
        return switch (format) {
            case BINARY16 -> "fp16";
            case BFLOAT16 -> "bf16";
        };
    }

    @Override
    public float largest() {
        return format.largest();
    }

    @Override
    public boolean lossless() {
        return false;
    }

    @Override
    public boolean carriesNonFinite() {
        return true;
    }

    @Override
    public int block() {
        return 1;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Header.BYTES + count * Short.BYTES;
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        refuse(kernels.narrow(format, values, 0, count, encoded, Header.BYTES), 0, values);
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    @Override
    public long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        refuse(kernels.narrowLeavingError(format, values, 0, count, encoded, Header.BYTES), 0, values);
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    /** Works block by block, so that one pass over the memory makes the sum, its 16-bit values and the next residual. */
    @Override
    public long encodeWithResidual(
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
            kernels.add(nextResidual, at, gradient, at, residual, at, n);
            long halvesAt = Header.BYTES + done * Short.BYTES;
            refuse(kernels.narrowLeavingError(format, nextResidual, at, n, encoded, halvesAt), done, nextResidual);
        }
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    private void refuse(long beyond, long first, MemorySegment values) throws NonFiniteException {
        if (beyond != CodecKernels.NONE) {
            float value = values.get(Float32.FLOAT, (first + beyond) * Float.BYTES);
            throw NonFiniteException.beyond(first + beyond, value, name(), format.largest());
        }
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.widen(format, encoded, Header.BYTES, values, 0, count);
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.widenAndAdd(format, encoded, Header.BYTES, values, 0, count);
    }

    @Override
    public void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, id(), 0, count, encodedBytesMax(count));
    }
}
