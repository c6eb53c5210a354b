package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engines;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * A share of the values, drawn from a seed and not scaled up; all others decode as 0. The seed travels, the indices need
 * not. Members that encode with the same seed keep the same indices, so their kept values may be added as they are.
 *
 * <p>The tensor is cut into as many runs of (but for one value) equal length as values are kept, and one value of each run is
 * drawn. So indices are distinct, rise, and cost no memory to draw.
 *
 * <pre>
 * header parameter: 16 or 32, the bits per value
 * body: | seed: int64 | exponent: int16, only before 16-bit values | k values: binary16 * 2^exponent, or float32 |
 * </pre>
 */
public final class RandomKCodec implements Codec {
    private static final int VALUES_AT = Header.BYTES + Long.BYTES;
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    private final double fraction;
    private final boolean full;
    private final CodecKernels kernels;

    /**
     * Keeps that share of the values, 16 bits of each.
     *
     * @param fraction above 0, at most 1; of {@code count} values {@code fraction * count}, rounded, are kept, at least 1
     */
    public RandomKCodec(double fraction) {
        this(fraction, false);
    }

    /**
     * Keeps that share of the values.
     *
     * @param fraction as in the other constructor
     * @param full all 32 bits of each, or else 16, relative to the largest that is kept
     */
    public RandomKCodec(double fraction, boolean full) {
        this(fraction, full, Engines.best().codecKernels());
    }

    RandomKCodec(double fraction, boolean full, CodecKernels kernels) {
        TopKCodec.checkFraction("randomk", fraction);
        this.fraction = fraction;
        this.full = full;
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
        return VALUES_AT + KeptValues.bytes(full, TopKCodec.kept(fraction, count));
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        return encode(values, count, 0, encoded);
    }

    @Override
    public long encode(MemorySegment values, long count, long seed, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Float32.checkFinite(kernels, values, count); // all: to leave a NaN out would make it 0
        return write(values, count, seed, encoded, (index, value, decoded) -> {});
    }

    /** Is told what was written, in order. */
    private interface Sent {
        /** Value {@code index} is {@code value}, and its decoder takes it for {@code decoded}. */
        void at(long index, float value, float decoded);
    }

    private long write(MemorySegment values, long count, long seed, MemorySegment encoded, Sent sent) {
        var draws = new Draws(seed, count, TopKCodec.kept(fraction, count));
        Header.write(encoded, Header.RANDOMK, KeptValues.bits(full), count);
        encoded.set(Header.LONG, Header.BYTES, seed);
        KeptValues kept = KeptValues.write(encoded, VALUES_AT, full, full ? 0 : largestBits(values, draws));
        for (long i = 0; i < draws.kept(); i++) {
            long index = draws.index(i);
            float value = values.get(Float32.FLOAT, index * Float.BYTES);
            sent.at(index, value, kept.set(i, value));
        }
        return encodedBytesMax(count);
    }

    private static int largestBits(MemorySegment values, Draws draws) {
        int largest = 0;
        for (long i = 0; i < draws.kept(); i++) {
            int bits = values.get(Float32.BITS, draws.index(i) * Float.BYTES);
            largest = Math.max(largest, bits & Float32.MAGNITUDE_MASK);
        }
        return largest;
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
        kernels.add(left, 0, gradient, 0, owed, 0, count);
        Float32.checkFinite(kernels, left, count);
        return write(left, count, seed, encoded, (index, value, decoded) -> {
            left.set(Float32.FLOAT, index * Float.BYTES, value - decoded);
        });
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
        KeptValues kept = KeptValues.read(encoded, VALUES_AT, full);
        for (long i = 0; i < draws.kept(); i++) {
            long offset = draws.index(i) * Float.BYTES;
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + kept.get(i));
        }
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.RANDOMK, KeptValues.bits(full), count);
        if (encoded.byteSize() != encodedBytesMax(count)) {
            throw new MalformedMessageException(TopKCodec.kept(fraction, count) + " of " + count + " values need "
                    + encodedBytesMax(count) + " bytes, got " + encoded.byteSize());
        }
        KeptValues.check(encoded, VALUES_AT, full, TopKCodec.kept(fraction, count));
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
