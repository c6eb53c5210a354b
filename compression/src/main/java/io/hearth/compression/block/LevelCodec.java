package io.hearth.compression.block;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.Rounding;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * {@code int8} and {@code int4}: a level of 8 or 4 bits per value and one scale per block: {@code value ~ level * scale}, where
 * {@code scale} is the block's largest magnitude divided by 127 or 7, and the level is rounded to nearest, ties to even, or stochastically.
 * The error of a value is at most half a scale with rounding to nearest, and less than one with stochastic rounding.
 *
 * <p>Body: {@link BlockFormat}. Decoding does not depend on how values were rounded.
 */
public final class LevelCodec implements BlockCodec {
    private final BlockFormat format;
    private final boolean stochastic;
    private final CodecKernels kernels;

    /**
     * Encodes with the kernels of an engine.
     *
     * @param bits per value, 8 or 4
     * @param block values per block, 8 to 65,536
     * @param stochastic whether rounding is stochastic, or else to nearest
     * @param kernels shared with others
     */
    public LevelCodec(int bits, int block, boolean stochastic, CodecKernels kernels) {
        format = new BlockFormat(bits, block);
        this.stochastic = stochastic;
        this.kernels = kernels;
    }

    private byte id() {
        return format.bits() == Byte.SIZE ? Header.INT8 : Header.INT4;
    }

    @Override
    public String name() {
        return "int" + format.bits();
    }

    @Override
    public boolean lossless() {
        return false;
    }

    @Override
    public int block() {
        return format.block();
    }

    @Override
    public long encodedBytesMax(long count) {
        return Math.addExact(Header.BYTES, format.bytes(count));
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, 0, encoded);
    }

    @Override
    public long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        return encodePart(values, 0, count, seed, encoded);
    }

    @Override
    public long encodePart(MemorySegment tensor, long first, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkPart(tensor, first, count, block());
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        long bad = kernels.quantise(
                format,
                rounding(seed),
                first / format.block(),
                tensor,
                first * Float.BYTES,
                count,
                encoded,
                Header.BYTES);
        if (bad != CodecKernels.NONE) {
            throw nonFinite(tensor, first + bad);
        }
        Header.write(encoded, id(), format.block(), count);
        return encodedBytesMax(count);
    }

    @Override
    public long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        long bad = kernels.quantiseLeavingError(format, rounding(seed), 0, values, 0, count, encoded, Header.BYTES);
        if (bad != CodecKernels.NONE) {
            throw nonFinite(values, bad);
        }
        Header.write(encoded, id(), format.block(), count);
        return encodedBytesMax(count);
    }

    @Override
    public long encodeWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        return encodePartWithResidual(gradient, residual, nextResidual, 0, count, seed, encoded);
    }

    /** Works run by run, so that one pass over the memory makes the sum, its levels and the next residual. */
    @Override
    public long encodePartWithResidual(
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
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Rounding rounding = rounding(seed);
        int run = Math.max(format.block(), kernels.run(format, count) / format.block() * format.block());
        for (long done = 0; done < count; done += run) {
            long n = Math.min(run, count - done);
            long at = (first + done) * Float.BYTES;
            kernels.add(nextResidual, at, gradient, at, residual, at, n);
            long bad = kernels.quantiseLeavingError(
                    format,
                    rounding,
                    (first + done) / format.block(),
                    nextResidual,
                    at,
                    n,
                    encoded,
                    Header.BYTES + format.bytes(done));
            if (bad != CodecKernels.NONE) {
                throw nonFinite(nextResidual, first + done + bad);
            }
        }
        Header.write(encoded, id(), format.block(), count);
        return encodedBytesMax(count);
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.dequantise(format, encoded, Header.BYTES, values, 0, count);
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.dequantiseAndAdd(format, encoded, Header.BYTES, values, 0, count);
    }

    @Override
    public void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, id(), format.block(), count, encodedBytesMax(count));
        long bad = kernels.badBlock(format, encoded, Header.BYTES, count);
        if (bad != CodecKernels.NONE) {
            float scale = encoded.get(Float32.FLOAT, Header.BYTES + format.bytes(bad));
            throw new MalformedMessageException("int" + format.bits() + " block at value " + bad + " has the scale "
                    + scale + " and levels that no encoder writes with it");
        }
    }

    private Rounding rounding(long seed) {
        return stochastic ? Rounding.stochastic(seed) : Rounding.NEAREST;
    }

    private static NonFiniteException nonFinite(MemorySegment values, long index) {
        return new NonFiniteException(index, values.get(Float32.FLOAT, index * Float.BYTES));
    }
}
