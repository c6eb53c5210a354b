package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Only the values of largest magnitude, exactly, with their indices; all others decode as 0.
 *
 * <p>How many are kept depends on {@code count} alone: {@code fraction * count} rounded to the nearest, at least 1. Of equal
 * magnitudes the lower index is kept first. {@link SparseSum} adds such encodings without making them dense.
 *
 * <pre>
 * body: | k: int64 | k values: float32 | k gaps: LEB128, shortest form |
 * </pre>
 *
 * A gap is the number of values left out since the one before, so indices strictly rise whatever the bytes are.
 */
public final class TopKCodec implements Codec {
    /** One in a hundred, with error feedback, trains like dense gradients. */
    public static final double FRACTION_DEFAULT = 0.01;

    private final double fraction;

    /**
     * Keeps that share of the values.
     *
     * @param fraction above 0, at most 1
     */
    public TopKCodec(double fraction) {
        checkFraction("topk", fraction);
        this.fraction = fraction;
    }

    static void checkFraction(String codec, double fraction) {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new IllegalArgumentException("need a " + codec + " fraction above 0 and at most 1, got " + fraction
                    + "; a usual choice is " + FRACTION_DEFAULT);
        }
    }

    /** {@code fraction * count} rounded to the nearest, at least 1 of what there is. */
    static long kept(double fraction, long count) {
        return count == 0 ? 0 : Math.clamp(Math.round(count * fraction), 1, count);
    }

    @Override
    public String name() {
        return "topk";
    }

    @Override
    public boolean lossless() {
        return false;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Sparse.bytesMax(count, kept(fraction, count));
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        return write(values, count, encoded);
    }

    @Override
    public long encodeOwing(
            MemorySegment gradient,
            MemorySegment owed,
            MemorySegment left,
            long count,
            long seed,
            MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(owed, count);
        Float32.checkRoom(left, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Float32.KERNELS.add(left, 0, gradient, 0, owed, 0, count);
        long bytes = write(left, count, encoded);
        Sparse.clear(encoded, left);
        return bytes;
    }

    private long write(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        if (count == 0) {
            return new Sparse.Writer(encoded, 0, 0).finish();
        }
        long kept = kept(fraction, count);
        var writer = new LargestWriter(values, count);
        return writer.write(writer.threshold(kept), kept, encoded);
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        Sparse.scatter(encoded, values, count);
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        Sparse.addAll(encoded, values, count);
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        long kept = Sparse.check(encoded, count);
        if (kept != kept(fraction, count)) {
            throw new MalformedMessageException("topk keeps " + kept(fraction, count) + " of " + count + " values, not "
                    + kept + " as these bytes do");
        }
    }
}
