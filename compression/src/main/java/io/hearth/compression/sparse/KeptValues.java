package io.hearth.compression.sparse;

import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The values that a sparse encoding keeps.
 *
 * <pre>
 * full: | k values: float32, finite |
 * half: | exponent: int16 | k values: binary16, finite |   value = binary16 * 2^exponent
 * </pre>
 *
 * The exponent brings the largest magnitude to 2^14 to below 2^15. There, binary16 has 11 bits for all values that are at most 28 octaves
 * smaller, so tensors of tiny values lose nothing by their size. The exponent is at least {@link #EXPONENT_MIN}, so each binary16 times its
 * power of two is exactly a float32. A value that would round to infinity is rounded down: no finite value becomes infinite.
 */
final class KeptValues {
    static final int EXPONENT_MIN = -125;
    static final int EXPONENT_MAX = Float.MAX_EXPONENT - 14;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGNITUDE_MASK = 0x7fff;

    /** 2^14 and 2^15 as binary16, and its infinity. */
    private static final int LARGEST_MIN = 0x7400;

    private static final int LARGEST_MAX = 0x7800;
    private static final int INFINITY = 0x7c00;

    private final MemorySegment encoded;
    private final long at;
    private final boolean full;
    private final int exponent;
    private final float unit;
    private final float perUnit;

    private KeptValues(MemorySegment encoded, long at, boolean full, int exponent) {
        this.encoded = encoded;
        this.at = full ? at : at + Short.BYTES;
        this.full = full;
        this.exponent = exponent;
        unit = Math.scalb(1f, exponent);
        perUnit = Math.scalb(1f, -exponent);
    }

    /** Bytes of {@code kept} values, including the exponent before them. */
    static long bytes(boolean full, long kept) {
        return full
                ? Math.multiplyExact(kept, (long) Float.BYTES)
                : Math.addExact(Short.BYTES, Math.multiplyExact(kept, (long) Short.BYTES));
    }

    /** Bits per value, as in headers. */
    static int bits(boolean full) {
        return full ? Float.SIZE : Short.SIZE;
    }

    /**
     * For writing; writes the exponent first, unless {@code full}.
     * @param largestBits magnitude of the largest value that will be written, as bits; finite
     */
    static KeptValues write(MemorySegment encoded, long at, boolean full, int largestBits) {
        if (full) {
            return new KeptValues(encoded, at, true, 0);
        }
        int exponent = Math.max(EXPONENT_MIN, Math.getExponent(Float.intBitsToFloat(largestBits)) - 14);
        encoded.set(SHORT, at, (short) exponent);
        return new KeptValues(encoded, at, false, exponent);
    }

    /** For reading values that passed {@link #check}. */
    static KeptValues read(MemorySegment encoded, long at, boolean full) {
        return new KeptValues(encoded, at, full, full ? 0 : encoded.get(SHORT, at));
    }

    /** Stores value {@code i} and returns its decoded value. */
    float set(long i, float value) {
        if (full) {
            encoded.set(Float32.FLOAT, at + i * Float.BYTES, value);
            return value;
        }
        short half = Float.floatToFloat16(value * perUnit);
        if (exponent == EXPONENT_MAX && (half & MAGNITUDE_MASK) == LARGEST_MAX) {
            half--;
        }
        encoded.set(SHORT, at + i * Short.BYTES, half);
        return Float.float16ToFloat(half) * unit;
    }

    float get(long i) {
        return full
                ? encoded.get(Float32.FLOAT, at + i * Float.BYTES)
                : Float.float16ToFloat(encoded.get(SHORT, at + i * Short.BYTES)) * unit;
    }

    /** Rejects bytes that {@link #set} does not write; {@code encoded} is large enough. */
    static void check(MemorySegment encoded, long at, boolean full, long kept) throws MalformedMessageException {
        if (!full && !(encoded.get(SHORT, at) >= EXPONENT_MIN && encoded.get(SHORT, at) <= EXPONENT_MAX)) {
            throw new MalformedMessageException("kept values have the exponent " + encoded.get(SHORT, at) + ", not "
                    + EXPONENT_MIN + " to " + EXPONENT_MAX);
        }
        read(encoded, at, full).check(kept);
    }

    private void check(long kept) throws MalformedMessageException {
        int largest = 0;
        for (long i = 0; i < kept; i++) {
            int magnitude = full
                    ? encoded.get(Float32.BITS, at + i * Float.BYTES) & Float32.MAGNITUDE_MASK
                    : encoded.get(SHORT, at + i * Short.BYTES) & MAGNITUDE_MASK;
            if (magnitude >= (full ? Float32.INFINITY_BITS : INFINITY)) {
                throw new MalformedMessageException("kept value " + i + " is " + get(i));
            }
            largest = Math.max(largest, magnitude);
        }
        int largestMax = exponent == EXPONENT_MAX ? LARGEST_MAX - 1 : LARGEST_MAX;
        if (!full && (largest > largestMax || (largest < LARGEST_MIN && exponent != EXPONENT_MIN))) {
            throw new MalformedMessageException(
                    "the largest of " + kept + " kept values does not fit their exponent " + exponent);
        }
    }
}
