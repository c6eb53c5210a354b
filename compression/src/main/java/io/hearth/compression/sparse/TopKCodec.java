package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Ranges;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Keeps only the values of largest magnitude, with their indices; all others decode as 0.
 *
 * <p>The number of kept values depends on {@code count} alone: {@code fraction * count} rounded to the nearest, at least 1. Of equal
 * magnitudes the lower index is kept first. {@link SparseSum} adds such encodings.
 *
 * <p>Values are stored exactly, or in 16 bits relative to the largest one (error feedback keeps the rounding error too); decoders read
 * both.
 *
 * <pre>
 * header parameter: 16 or 32, the bits per value; in its next byte r
 * body: | k: int64 | exponent: int16, only before 16-bit values | k values: binary16 * 2^exponent, or float32 |
 *       | k gaps: Rice codes with r lower bits, which follows from count and k; zero bits up to a whole byte |
 * </pre>
 *
 * A gap is the number of values left out since the one before, so indices strictly rise whatever the bytes are.
 */
public final class TopKCodec implements SparseCodec {
    private final double fraction;
    private final boolean full;
    private final CodecKernels kernels;

    /**
     * Keeps {@code fraction} of the values.
     *
     * @param fraction above 0, at most 1
     * @param full whether to keep all 32 bits of each, or else 16
     * @param kernels of an engine, shared with others
     */
    public TopKCodec(double fraction, boolean full, CodecKernels kernels) {
        Ranges.requireFraction("topk", fraction);
        this.fraction = fraction;
        this.full = full;
        this.kernels = kernels;
    }

    /** {@code fraction * count} rounded to the nearest, at least 1 unless {@code count} is 0. */
    public static long kept(double fraction, long count) {
        return count == 0 ? 0 : Math.clamp(Math.round(count * fraction), 1, count);
    }

    @Override
    public String name() {
        return "topk";
    }

    @Override
    public long encodedBytesMax(long count) {
        return Sparse.bytesMax(count, kept(fraction, count), full);
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        if (count == 0) {
            return new Sparse.Writer(encoded, 0, 0, full, 0).finish();
        }
        var source = Source.of(values);
        var threshold = MagnitudeThreshold.of(kernels, source, count, kept(fraction, count));
        return new LargestWriter(kernels, source, count, full).write(threshold, encoded);
    }

    @Override
    public int run(long count) {
        return kernels.run(KernelKind.SELECT_FLOAT32, count);
    }

    @Override
    public long encode(Source source, long count, Candidates candidates, MemorySegment encoded)
            throws NonFiniteException {
        return count == 0
                ? new Sparse.Writer(encoded, 0, 0, full, 0).finish()
                : candidates.writeLargest(source, count, kept(fraction, count), full, encoded);
    }

    @Override
    public void check(MemorySegment encoded, long count) throws MalformedMessageException {
        long kept = Sparse.check(encoded, count);
        if (kept != kept(fraction, count)) {
            throw new MalformedMessageException("topk keeps " + kept(fraction, count) + " of " + count + " values, not "
                    + kept + " as these bytes do");
        }
    }
}
