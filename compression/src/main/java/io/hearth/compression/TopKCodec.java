package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Only the values of largest magnitude, exactly, with their indices; all others decode as 0.
 *
 * <p>How many are kept depends on {@code count} alone: {@code fraction * count} rounded to the nearest, at least 1. Of equal
 * magnitudes the lower index is kept first.
 *
 * <pre>
 * body: | k values: float32 | k gaps: LEB128, shortest form |
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
        checkFraction(fraction);
        this.fraction = fraction;
    }

    static void checkFraction(double fraction) {
        if (!(fraction > 0 && fraction <= 1)) {
            throw new IllegalArgumentException("need a topk fraction above 0 and at most 1, got " + fraction
                    + "; a usual choice is " + FRACTION_DEFAULT);
        }
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
        return Header.BYTES + kept(count) * (Float.BYTES + Gaps.bytesOf(count));
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Header.write(encoded, Header.TOPK, 0, count);
        return count == 0 ? Header.BYTES : write(values, count, encoded);
    }

    private long write(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        MagnitudeThreshold threshold = MagnitudeThreshold.of(values, count, kept(count));
        int least = threshold.bits();
        long ties = threshold.ties();
        long valueAt = Header.BYTES;
        long gapAt = gapsOffset(count);
        long expected = 0;
        int[] bits = new int[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.loadBits(values, done, bits, n);
            for (int i = 0; i < n; i++) {
                int magnitude = bits[i] & Float32.MAGNITUDE_MASK;
                if (magnitude > least || (magnitude == least && ties-- > 0)) {
                    encoded.set(Float32.BITS, valueAt, bits[i]);
                    valueAt += Float.BYTES;
                    gapAt = Gaps.write(encoded, gapAt, done + i - expected);
                    expected = done + i + 1;
                }
            }
        }
        return gapAt;
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
        float[] zeros = new float[Float32.BLOCK];
        float[] scratch = new float[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            Float32.add(zeros, values, done, Float32.blockAt(done, count), scratch);
        }
        scatterAdd(encoded, values, count);
    }

    private void scatterAdd(MemorySegment encoded, MemorySegment values, long count) {
        var gaps = new Gaps(encoded, gapsOffset(count));
        long index = 0;
        for (long at = Header.BYTES; at < gapsOffset(count); at += Float.BYTES) {
            index += gaps.next();
            long offset = index * Float.BYTES;
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + encoded.get(Float32.FLOAT, at));
            index++;
        }
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.TOPK, 0, count);
        long kept = kept(count);
        if (encoded.byteSize() < gapsOffset(count) + kept || encoded.byteSize() > encodedBytesMax(count)) {
            throw new MalformedMessageException(
                    kept + " of " + count + " values in " + encoded.byteSize() + " bytes: the size does not fit");
        }
        for (long i = 0; i < kept; i++) {
            float value = encoded.get(Float32.FLOAT, Header.BYTES + i * Float.BYTES);
            if (!Float.isFinite(value)) {
                throw new MalformedMessageException("kept value " + i + " is " + value);
            }
        }
        Gaps.check(encoded, gapsOffset(count), kept, count);
    }

    private long gapsOffset(long count) {
        return Header.BYTES + kept(count) * Float.BYTES;
    }

    private long kept(long count) {
        return count == 0 ? 0 : Math.clamp(Math.round(count * fraction), 1, count);
    }
}
