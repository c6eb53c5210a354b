package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One byte per value and one scale per block: {@code value ~ q * scale}, where {@code scale} is the block's largest magnitude
 * divided by 127 and {@code q} is rounded to nearest, ties to even. The error of a value is at most half a scale.
 *
 * <pre>
 * body: for each block of {@code block} values (the last may be shorter)
 *   | scale: float32, 0 to SCALE_MAX | q: int8 per value, -127..127 |
 * </pre>
 */
public final class Int8Codec implements Codec {
    /** Small enough that one large value spoils few neighbours, large enough that scales cost 1.6 %. */
    public static final int BLOCK_DEFAULT = 256;

    static final int BLOCK_MIN = 8;
    static final int BLOCK_MAX = 1 << 16;

    private static final int LEVELS = 127;

    /** The largest scale whose 127-fold is finite. */
    static final float SCALE_MAX = Math.nextDown(Float.MAX_VALUE / LEVELS);

    private final int block;

    /**
     * Blocks of so many values.
     *
     * @param block 8 to 65,536
     */
    public Int8Codec(int block) {
        checkBlock(block);
        this.block = block;
    }

    static void checkBlock(int block) {
        if (block < BLOCK_MIN || block > BLOCK_MAX) {
            throw new IllegalArgumentException("need " + BLOCK_MIN + " to " + BLOCK_MAX + " values per int8 block, got "
                    + block + "; a usual choice is " + BLOCK_DEFAULT);
        }
    }

    @Override
    public String name() {
        return "int8";
    }

    @Override
    public boolean lossless() {
        return false;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Header.BYTES + Math.ceilDiv(count, block) * Float.BYTES + count;
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Header.write(encoded, Header.INT8, block, count);
        int[] bits = new int[block];
        float[] floats = new float[block];
        byte[] quantised = new byte[block];
        long at = Header.BYTES;
        for (long done = 0; done < count; done += block) {
            int n = blockAt(done, count);
            Float32.loadBits(values, done, bits, n);
            Float32.load(values, done, floats, n);
            float scale = scale(largestMagnitude(bits, n, done));
            encoded.set(Float32.FLOAT, at, scale);
            quantise(floats, scale, quantised, n);
            MemorySegment.copy(quantised, 0, encoded, ValueLayout.JAVA_BYTE, at + Float.BYTES, n);
            at += Float.BYTES + n;
        }
        return at;
    }

    @Override
    public void decode(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        byte[] quantised = new byte[block];
        float[] floats = new float[block];
        for (long done = 0; done < count; done += block) {
            int n = blockAt(done, count);
            dequantise(encoded, done, quantised, floats, n);
            Float32.store(floats, values, done, n);
        }
    }

    @Override
    public void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        check(encoded, values, count);
        byte[] quantised = new byte[block];
        float[] floats = new float[block];
        float[] scratch = new float[block];
        for (long done = 0; done < count; done += block) {
            int n = blockAt(done, count);
            dequantise(encoded, done, quantised, floats, n);
            Float32.add(floats, values, done, n, scratch);
        }
    }

    private static float largestMagnitude(int[] bits, int n, long index) throws NonFiniteException {
        int largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, bits[i] & Float32.MAGNITUDE_MASK); // magnitudes order as their bits do
        }
        if (largest >= Float32.INFINITY_BITS) {
            for (int i = 0; i < n; i++) {
                if ((bits[i] & Float32.MAGNITUDE_MASK) >= Float32.INFINITY_BITS) {
                    throw new NonFiniteException(index + i, Float.intBitsToFloat(bits[i]));
                }
            }
        }
        return Float.intBitsToFloat(largest);
    }

    /** Rounded up where rounding down would make {@code magnitude} more than 127 scales: among subnormals that is a lot. */
    private static float scale(float magnitude) {
        float scale = magnitude / LEVELS;
        return Math.min(scale * LEVELS < magnitude ? Math.nextUp(scale) : scale, SCALE_MAX);
    }

    private static void quantise(float[] values, float scale, byte[] quantised, int n) {
        float divisor = scale == 0 ? 1 : scale; // a block of zeros
        for (int i = 0; i < n; i++) {
            // Adding and taking away 1.5 * 2^23 rounds to nearest even, as Math.rint, but in float vector code.
            quantised[i] = (byte) (int) (values[i] / divisor + 0x1.8p23f - 0x1.8p23f);
        }
    }

    private void dequantise(MemorySegment encoded, long done, byte[] quantised, float[] floats, int n) {
        long at = offset(done);
        float scale = encoded.get(Float32.FLOAT, at);
        MemorySegment.copy(encoded, ValueLayout.JAVA_BYTE, at + Float.BYTES, quantised, 0, n);
        for (int i = 0; i < n; i++) {
            floats[i] = quantised[i] * scale;
        }
    }

    private void check(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException {
        Float32.checkRoom(values, count);
        Header.check(encoded, Header.INT8, block, count);
        if (encoded.byteSize() != encodedBytesMax(count)) {
            throw new MalformedMessageException(count + " int8 values in blocks of " + block + " need "
                    + encodedBytesMax(count) + " bytes, got " + encoded.byteSize());
        }
        byte[] quantised = new byte[block];
        for (long done = 0; done < count; done += block) {
            int n = blockAt(done, count);
            float scale = encoded.get(Float32.FLOAT, offset(done));
            if (!(scale >= 0 && scale <= SCALE_MAX)) {
                throw new MalformedMessageException("int8 block at value " + done + " has the scale " + scale);
            }
            MemorySegment.copy(encoded, ValueLayout.JAVA_BYTE, offset(done) + Float.BYTES, quantised, 0, n);
            checkLevels(quantised, n, done);
        }
    }

    private static void checkLevels(byte[] quantised, int n, long done) throws MalformedMessageException {
        int least = 0;
        for (int i = 0; i < n; i++) {
            least = Math.min(least, quantised[i]);
        }
        if (least < -LEVELS) {
            throw new MalformedMessageException("int8 block at value " + done + " holds -128, which no encoder writes");
        }
    }

    /** Where the block that starts at value {@code done} begins. */
    private long offset(long done) {
        return Header.BYTES + done + done / block * Float.BYTES;
    }

    private int blockAt(long done, long count) {
        return (int) Math.min(block, count - done);
    }
}
