package io.hearth.compression.memory;

import io.hearth.compression.format.Float32;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Stores float32 values as bfloat16, the upper half of their bits. Each value is rounded up or down at random, with the probability that
 * makes the stored value right in the mean (stochastic rounding, Gupta et al., "Deep learning with limited numerical precision", ICML
 * 2015).
 */
final class BFloat16 {
    static final int BYTES = Short.BYTES;

    private static final ValueLayout.OfShort HALF = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LOWER = 0xffff;

    /** Above it, rounding up would be infinite. */
    private static final int LARGEST = 0x7f7f_0000;

    private BFloat16() {}

    /** Value {@code index}, as float32. */
    static float value(MemorySegment kept, long index) {
        return Float.intBitsToFloat(kept.get(HALF, index * BYTES) << Short.SIZE);
    }

    /** {@code values[i] = kept[first + i]}. */
    static void widen(MemorySegment kept, long first, MemorySegment values, long n) {
        for (long i = 0; i < n; i++) {
            values.set(Float32.BITS, i * Float.BYTES, kept.get(HALF, (first + i) * BYTES) << Short.SIZE);
        }
    }

    /**
     * {@code kept[first + i] = values[i]}, rounded.
     *
     * @param values finite
     * @param draw seed that, together with the index of a value, decides whether the value is rounded up or down
     */
    static void round(MemorySegment values, long n, MemorySegment kept, long first, long draw) {
        int seed = (int) (draw ^ (draw >>> Integer.SIZE));
        for (long i = 0; i < n; i++) {
            int bits = values.get(Float32.BITS, i * Float.BYTES);
            int chance = mixed(seed + (int) (first + i)) & LOWER;
            int up = (bits & Float32.MAGNITUDE_MASK) >= LARGEST ? 0 : chance;
            kept.set(HALF, (first + i) * BYTES, (short) ((bits + up) >>> Short.SIZE));
        }
    }

    /** The last step of Murmur3: its bits are as good as random. */
    private static int mixed(int number) {
        int mixed = number * 0x9e37_79b1;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85eb_ca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2_ae35;
        return mixed ^ (mixed >>> 16);
    }
}
