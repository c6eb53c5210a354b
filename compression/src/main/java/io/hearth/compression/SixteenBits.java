package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A codec that keeps 16 bits of each value. Body: {@code count} of them, little-endian.
 *
 * <p>NaN and infinity arrive as such. A finite value that would round to infinity is refused by name: to let it through would make a
 * gradient infinite that was not, to cut it down would be a wrong number without a word.
 */
sealed interface SixteenBits extends BlockCodec permits Fp16Codec, Bf16Codec {
    /** The layout of one value. */
    ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    byte id();

    /** The largest finite value. */
    float largest();

    /** Rounds to nearest, ties to even. */
    void narrow(float[] values, short[] bits, int n);

    void widen(short[] bits, float[] values, int n);

    @Override
    default boolean lossless() {
        return false;
    }

    @Override
    default boolean carriesNonFinite() {
        return true;
    }

    @Override
    default int block() {
        return 1;
    }

    @Override
    default long encodedBytesMax(long count) {
        return Header.BYTES + count * Short.BYTES;
    }

    @Override
    default long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        float[] floats = new float[(int) Math.min(Float32.BLOCK, count)];
        short[] bits = new short[floats.length];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(values, done, floats, n);
            refuseOverflow(floats, bits, n, done);
            MemorySegment.copy(bits, 0, encoded, SHORT, Header.BYTES + done * Short.BYTES, n);
        }
        Header.write(encoded, id(), 0, count);
        return encodedBytesMax(count);
    }

    private void refuseOverflow(float[] floats, short[] bits, int n, long done) throws NonFiniteException {
        narrow(floats, bits, n);
        float largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, Math.abs(floats[i])); // NaN stays, and so fails the comparison below
        }
        if (largest <= largest()) {
            return;
        }
        float[] widened = new float[n];
        widen(bits, widened, n);
        for (int i = 0; i < n; i++) {
            if (Float.isFinite(floats[i]) && !Float.isFinite(widened[i])) {
                throw NonFiniteException.beyond(done + i, floats[i], name(), largest());
            }
        }
    }

    @Override
    default void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        float[] floats = new float[(int) Math.min(Float32.BLOCK, count)];
        short[] bits = new short[floats.length];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            MemorySegment.copy(encoded, SHORT, Header.BYTES + done * Short.BYTES, bits, 0, n);
            widen(bits, floats, n);
            Float32.store(floats, values, done, n);
        }
    }

    @Override
    default void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        check(encoded, count);
        float[] floats = new float[(int) Math.min(Float32.BLOCK, count)];
        float[] scratch = new float[floats.length];
        short[] bits = new short[floats.length];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            MemorySegment.copy(encoded, SHORT, Header.BYTES + done * Short.BYTES, bits, 0, n);
            widen(bits, floats, n);
            Float32.add(floats, values, done, n, scratch);
        }
    }

    @Override
    default void check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, id(), 0, count);
        if (encoded.byteSize() != encodedBytesMax(count)) {
            throw new MalformedMessageException(count + " " + name() + " values need " + encodedBytesMax(count)
                    + " bytes, got " + encoded.byteSize());
        }
    }
}
