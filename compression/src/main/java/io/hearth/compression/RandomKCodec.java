package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * A share of the values, drawn from a seed, exactly and not scaled up; all others decode as 0. The seed travels, the indices need
 * not. Members that encode with the same seed keep the same indices, so their kept values may be added as they are.
 *
 * <p>The tensor is cut into as many runs of (but for one value) equal length as values are kept, and one value of each run is
 * drawn. So indices are distinct, rise, and cost no memory to draw.
 *
 * <pre>
 * body: | seed: int64 | k values: float32, finite |
 * </pre>
 */
public final class RandomKCodec implements Codec {
    private static final int VALUES_AT = Header.BYTES + Long.BYTES;
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private final double fraction;

    /**
     * Keeps that share of the values.
     *
     * @param fraction above 0, at most 1; of {@code count} values {@code fraction * count}, rounded, are kept, at least 1
     */
    public RandomKCodec(double fraction) {
        TopKCodec.checkFraction("randomk", fraction);
        this.fraction = fraction;
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
        return VALUES_AT + TopKCodec.kept(fraction, count) * Float.BYTES;
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, 0, encoded);
    }

    @Override
    public long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Float32.checkFinite(values, count); // all: to leave a NaN out would make it 0
        var draws = new Draws(seed, count, TopKCodec.kept(fraction, count));
        for (long i = 0; i < draws.kept(); i++) {
            int bits = values.get(Float32.BITS, draws.index(i) * Float.BYTES);
            encoded.set(Float32.BITS, VALUES_AT + i * Float.BYTES, bits);
        }
        encoded.set(Header.LONG, Header.BYTES, seed);
        Header.write(encoded, Header.RANDOMK, 0, count);
        return encodedBytesMax(count);
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
        Float32.KERNELS.add(left, 0, gradient, 0, owed, 0, count);
        long bytes = encode(left, count, seed, encoded);
        var draws = new Draws(seed, count, TopKCodec.kept(fraction, count));
        for (long i = 0; i < draws.kept(); i++) {
            left.set(Float32.FLOAT, draws.index(i) * Float.BYTES, 0);
        }
        return bytes;
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        scatterAdd(encoded, values, count);
    }

    /** What is left out still adds 0, which turns -0 into +0. */
    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        Float32.addZero(values, count);
        scatterAdd(encoded, values, count);
    }

    private void scatterAdd(MemorySegment encoded, MemorySegment values, long count) {
        var draws = new Draws(encoded.get(Header.LONG, Header.BYTES), count, TopKCodec.kept(fraction, count));
        for (long i = 0; i < draws.kept(); i++) {
            long offset = draws.index(i) * Float.BYTES;
            float kept = encoded.get(Float32.FLOAT, VALUES_AT + i * Float.BYTES);
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + kept);
        }
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.RANDOMK, 0, count);
        if (encoded.byteSize() != encodedBytesMax(count)) {
            throw new MalformedMessageException(TopKCodec.kept(fraction, count) + " of " + count + " values need "
                    + encodedBytesMax(count) + " bytes, got " + encoded.byteSize());
        }
        for (long at = VALUES_AT; at < encoded.byteSize(); at += Float.BYTES) {
            float value = encoded.get(Float32.FLOAT, at);
            if (!Float.isFinite(value)) {
                throw new MalformedMessageException("kept value " + (at - VALUES_AT) / Float.BYTES + " is " + value);
            }
        }
    }

    /** Which values are kept: the first {@code count % kept} runs have one value more than the others. */
    private record Draws(long seed, long count, long kept) {
        long index(long run) {
            long least = count / kept;
            long longer = count % kept;
            long length = run < longer ? least + 1 : least;
            long start = run * least + Math.min(run, longer);
            // The upper half of 64 by 64 bits maps the draw to the run evenly (Lemire, 2019).
            return start + Math.unsignedMultiplyHigh(draw(run), length);
        }

        /** SplitMix64 (Steele et al., OOPSLA 2014). */
        private long draw(long run) {
            long z = seed + (run + 1) * GOLDEN;
            z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
            return z ^ (z >>> 31);
        }
    }
}
