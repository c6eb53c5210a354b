package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Codec;
import io.hearth.compression.MaxMagnitude;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.format.Ranges;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Keeps a share of the values, drawn by a seed and not scaled up; all others decode as 0. The encoding holds the seed instead of the
 * indices. Members that encode with the same seed keep the same indices, so sums can add the kept values directly: {@code RandomKMemory}.
 *
 * <p>The tensor is divided into one run per kept value, whose lengths differ by at most one, and one value of each run is drawn. So indices
 * are distinct, rise, and need no memory to draw.
 *
 * <pre>
 * body: | seed: int64 | k values: float32 |
 * </pre>
 */
public final class RandomKCodec implements Codec {
    private static final int VALUES_AT = Header.BYTES + Long.BYTES;

    private final double fraction;
    private final CodecKernels kernels;

    /**
     * Keeps {@code fraction} of the values.
     *
     * @param fraction above 0, at most 1; of {@code count} values {@code fraction * count}, rounded, are kept, at least 1
     * @param kernels of an engine, shared with others
     */
    public RandomKCodec(double fraction, CodecKernels kernels) {
        Ranges.requireFraction("randomk", fraction);
        this.fraction = fraction;
        this.kernels = kernels;
    }

    @Override
    public String name() {
        return "randomk";
    }

    @Override
    public boolean lossless() {
        return false;
    }

    @Override
    public boolean fixedRate() {
        return true;
    }

    @Override
    public long encodedBytesMax(long count) {
        return VALUES_AT + Math.multiplyExact(TopKCodec.kept(fraction, count), (long) Float.BYTES);
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, 0, encoded);
    }

    @Override
    public long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        MaxMagnitude.requireFinite(kernels, values, count); // all of them: a NaN that is left out would become 0
        var drawn = DrawnIndices.of(fraction, seed, count);
        Header.write(encoded, Header.RANDOMK, 0, count);
        encoded.set(Header.LONG, Header.BYTES, seed);
        for (long i = 0; i < drawn.kept(); i++) {
            encoded.set(Float32.FLOAT, at(i), values.get(Float32.FLOAT, drawn.index(i) * Float.BYTES));
        }
        return encodedBytesMax(count);
    }

    private static long at(long kept) {
        return VALUES_AT + kept * Float.BYTES;
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        scatterAdd(encoded, values, count);
    }

    /** Values that are left out still add 0, which turns -0 into +0. */
    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        Float32.addZero(values, count);
        scatterAdd(encoded, values, count);
    }

    private void scatterAdd(MemorySegment encoded, MemorySegment values, long count) {
        var drawn = DrawnIndices.of(fraction, encoded.get(Header.LONG, Header.BYTES), count);
        for (long i = 0; i < drawn.kept(); i++) {
            long offset = drawn.index(i) * Float.BYTES;
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + encoded.get(Float32.FLOAT, at(i)));
        }
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.RANDOMK, 0, count, encodedBytesMax(count));
        for (long i = 0; i < TopKCodec.kept(fraction, count); i++) {
            if (!Float.isFinite(encoded.get(Float32.FLOAT, at(i)))) {
                throw new MalformedMessageException("kept value " + i + " is not finite");
            }
        }
    }
}
