package io.hearth.compression;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.Rounding;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/** The common part of the codecs with one scale per block: header, checks and calls of the kernels. */
final class Levels {
    private final CodecKernels kernels;
    private final BlockFormat format;
    private final byte id;
    private final boolean stochastic;

    Levels(CodecKernels kernels, BlockFormat format, byte id, boolean stochastic) {
        this.kernels = kernels;
        this.format = format;
        this.id = id;
        this.stochastic = stochastic;
    }

    int block() {
        return format.block();
    }

    long encodedBytes(long count) {
        return Math.addExact(Header.BYTES, format.bytes(count));
    }

    long encode(MemorySegment tensor, long first, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(encoded, encodedBytes(count), count);
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
        Header.write(encoded, id, format.block(), count);
        return encodedBytes(count);
    }

    long encodeLeavingError(MemorySegment values, long count, long seed, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(encoded, encodedBytes(count), count);
        long bad = kernels.quantiseLeavingError(format, rounding(seed), 0, values, 0, count, encoded, Header.BYTES);
        if (bad != CodecKernels.NONE) {
            throw nonFinite(values, bad);
        }
        Header.write(encoded, id, format.block(), count);
        return encodedBytes(count);
    }

    /** Works run by run, so that one pass over the memory makes the sum, its levels and the next residual. */
    long encodeWithResidual(
            MemorySegment gradient,
            MemorySegment residual,
            MemorySegment nextResidual,
            long first,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(encoded, encodedBytes(count), count);
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
        Header.write(encoded, id, format.block(), count);
        return encodedBytes(count);
    }

    void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.dequantise(format, encoded, Header.BYTES, values, 0, count);
    }

    void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        kernels.dequantiseAndAdd(format, encoded, Header.BYTES, values, 0, count);
    }

    void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, id, format.block(), count);
        if (encoded.byteSize() != encodedBytes(count)) {
            throw new MalformedMessageException(count + " int" + format.bits() + " values in blocks of "
                    + format.block() + " need " + encodedBytes(count) + " bytes, got " + encoded.byteSize());
        }
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
