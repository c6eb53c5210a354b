package io.hearth.accel.vector;

import static io.hearth.accel.portable.PortableCodecKernels.BITS;
import static io.hearth.accel.portable.PortableCodecKernels.FLOAT;
import static io.hearth.accel.portable.PortableCodecKernels.INFINITY;
import static io.hearth.accel.portable.PortableCodecKernels.MAGNITUDE;
import static io.hearth.accel.portable.PortableCodecKernels.ROUNDER;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.Rounding;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops over one block of any {@link BlockFormat}, all operands in native memory: by the steps of {@link LevelVectors}, and one by
 * one after the last whole vector. {@code n} is the block's number of values, {@code at} the offset of its levels.
 */
final class LevelLoops {
    private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, BYTES.vectorShape());
    private static final int LANES = LevelVectors.LANES;

    /** 128 bits: a block of 64 levels of 4 bits has two such vectors. */
    private static final VectorSpecies<Byte> PACKED = ByteVector.SPECIES_128;

    /** Vectors of one iteration: with 512 bits a block of 64 values is one iteration, and C2's own unrolling pays only for long loops. */
    private static final int FOUR = 4;

    private static final int NIBBLE = 15;
    private static final long NIBBLES = 0x0f0f_0f0f_0f0f_0f0fL;
    private static final int NIBBLE_BITS = 4;
    private static final int INT_WITHOUT_NIBBLE = 28;

    private LevelLoops() {}

    /** The largest magnitude of {@code n} values as bits. */
    static int largest(MemorySegment values, long offset, int n) {
        IntVector one = IntVector.zero(INTS);
        IntVector two = one;
        IntVector three = one;
        IntVector four = one;
        int i = 0;
        for (; i <= n - FOUR * LANES; i += FOUR * LANES) {
            one = one.max(IntVector.fromMemorySegment(
                            INTS, NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE));
            two = two.max(IntVector.fromMemorySegment(
                            INTS,
                            NativeMemory.of(values),
                            offset + (long) (i + LANES) * Float.BYTES,
                            ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE));
            three = three.max(IntVector.fromMemorySegment(
                            INTS,
                            NativeMemory.of(values),
                            offset + (long) (i + 2 * LANES) * Float.BYTES,
                            ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE));
            four = four.max(IntVector.fromMemorySegment(
                            INTS,
                            NativeMemory.of(values),
                            offset + (long) (i + 3 * LANES) * Float.BYTES,
                            ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE));
        }
        for (; i <= n - LANES; i += LANES) {
            one = one.max(IntVector.fromMemorySegment(
                            INTS, NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN)
                    .and(MAGNITUDE));
        }
        int largest = one.max(two).max(three.max(four)).reduceLanes(VectorOperators.MAX);
        for (; i < n; i++) {
            largest = Math.max(largest, bits(values, offset, i) & MAGNITUDE);
        }
        return largest;
    }

    private static int bits(MemorySegment values, long offset, int i) {
        return values.get(BITS, offset + (long) i * Float.BYTES);
    }

    /** The index of the first value that is not finite; one must exist. */
    static int firstNotFinite(MemorySegment values, long offset) {
        int i = 0;
        while ((bits(values, offset, i) & MAGNITUDE) < INFINITY) {
            i++;
        }
        return i;
    }

    static void nearest8(MemorySegment values, long offset, int n, float divisor, MemorySegment body, long at) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            LevelVectors.nearest8(values, offset + (long) i * Float.BYTES, divisor, body, at + i);
        }
        for (; i < n; i++) {
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) level(value(values, offset, i) / divisor));
        }
    }

    static void stochastic8(
            MemorySegment values, long offset, int n, float divisor, int seed, MemorySegment body, long at) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            LevelVectors.stochastic8(values, offset + (long) i * Float.BYTES, divisor, seed, i, body, at + i);
        }
        for (; i < n; i++) {
            float quotient = value(values, offset, i) / divisor;
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) level(quotient + Rounding.draw(seed, i)));
        }
    }

    static void nearest4(MemorySegment values, long offset, int n, float divisor, MemorySegment body, long at) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            long place = (long) i * Float.BYTES;
            LevelVectors.nearest4(values, offset + place, upper + place, divisor, body, at + i);
        }
        for (; i < half; i++) {
            int low = level(value(values, offset, i) / divisor);
            int high = half + i < n ? level(value(values, upper, i) / divisor) : 0;
            body.set(ValueLayout.JAVA_BYTE, at + i, packed(low, high));
        }
    }

    /** Packs levels of 8 bits, which are at most 7 each. */
    static void pack4(MemorySegment levels, int n, MemorySegment body, long at) {
        int half = BlockFormat.half(n);
        int i = 0;
        for (; i <= n - half - Long.BYTES; i += Long.BYTES) {
            pack4(levels, i, half + i, body, at + i);
        }
        for (; i < half; i++) {
            int high = half + i < n ? levels.get(ValueLayout.JAVA_BYTE, half + i) : 0;
            body.set(ValueLayout.JAVA_BYTE, at + i, packed(levels.get(ValueLayout.JAVA_BYTE, i), high));
        }
    }

    /** Packs eight levels into the lower halves of eight bytes, and eight into the upper halves. */
    static void pack4(MemorySegment levels, long low, long high, MemorySegment body, long at) {
        long lower = levels.get(ValueLayout.JAVA_LONG_UNALIGNED, low) & NIBBLES;
        long upper = levels.get(ValueLayout.JAVA_LONG_UNALIGNED, high) & NIBBLES;
        body.set(ValueLayout.JAVA_LONG_UNALIGNED, at, lower | (upper << NIBBLE_BITS));
    }

    static void multiply8(MemorySegment body, long at, float scale, MemorySegment values, long offset, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            LevelVectors.multiply8(body, at + i, scale, values, offset + (long) i * Float.BYTES);
        }
        for (; i < n; i++) {
            set(values, offset, i, body.get(ValueLayout.JAVA_BYTE, at + i) * scale);
        }
    }

    static void add8(MemorySegment body, long at, float scale, MemorySegment values, long offset, int n) {
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            LevelVectors.add8(body, at + i, scale, values, offset + (long) i * Float.BYTES);
        }
        for (; i < n; i++) {
            set(values, offset, i, value(values, offset, i) + body.get(ValueLayout.JAVA_BYTE, at + i) * scale);
        }
    }

    static void multiply4(MemorySegment body, long at, float scale, MemorySegment values, long offset, int n) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            long place = (long) i * Float.BYTES;
            LevelVectors.multiply4(body, at + i, scale, values, offset + place, upper + place);
        }
        for (; i < half; i++) {
            int packed = body.get(ValueLayout.JAVA_BYTE, at + i);
            set(values, offset, i, low(packed) * scale);
            if (half + i < n) {
                set(values, upper, i, (packed >> NIBBLE_BITS) * scale);
            }
        }
    }

    static void add4(MemorySegment body, long at, float scale, MemorySegment values, long offset, int n) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            long place = (long) i * Float.BYTES;
            LevelVectors.add4(body, at + i, scale, values, offset + place, upper + place);
        }
        for (; i < half; i++) {
            int packed = body.get(ValueLayout.JAVA_BYTE, at + i);
            set(values, offset, i, value(values, offset, i) + low(packed) * scale);
            if (half + i < n) {
                set(values, upper, i, value(values, upper, i) + (packed >> NIBBLE_BITS) * scale);
            }
        }
    }

    /** Whether none of {@code bytes} is -128. */
    static boolean sound8(MemorySegment body, long at, int bytes) {
        ByteVector least = ByteVector.zero(BYTES);
        int i = 0;
        for (; i <= bytes - BYTES.length(); i += BYTES.length()) {
            least = least.min(
                    ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN));
        }
        int minimum = least.reduceLanes(VectorOperators.MIN);
        for (; i < bytes; i++) {
            minimum = Math.min(minimum, body.get(ValueLayout.JAVA_BYTE, at + i));
        }
        return minimum > Byte.MIN_VALUE;
    }

    /** Whether no half of {@code bytes} is -8. */
    static boolean sound4(MemorySegment body, long at, int bytes) {
        ByteVector least = ByteVector.zero(PACKED);
        int i = 0;
        for (; i <= bytes - PACKED.length(); i += PACKED.length()) {
            ByteVector packed =
                    ByteVector.fromMemorySegment(PACKED, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
            ByteVector low = packed.reinterpretAsInts()
                    .lanewise(VectorOperators.LSHL, NIBBLE_BITS)
                    .reinterpretAsBytes();
            least = least.min(packed.and((byte) ~NIBBLE)).min(low.and((byte) ~NIBBLE));
        }
        int minimum = least.reduceLanes(VectorOperators.MIN);
        for (; i < bytes; i++) {
            int packed = body.get(ValueLayout.JAVA_BYTE, at + i);
            minimum = Math.min(minimum, Math.min(packed & ~NIBBLE, (byte) (packed << NIBBLE_BITS)));
        }
        return minimum > Byte.MIN_VALUE;
    }

    /** Whether the upper half of the last byte is empty if {@code n} is odd. */
    static boolean padded4(MemorySegment body, long last, int n) {
        return (n & 1) == 0 || body.get(ValueLayout.JAVA_BYTE, last) >> NIBBLE_BITS == 0;
    }

    private static int level(float quotient) {
        return (int) (quotient + ROUNDER - ROUNDER);
    }

    private static byte packed(int low, int high) {
        return (byte) ((low & NIBBLE) | (high << NIBBLE_BITS));
    }

    private static int low(int packed) {
        return packed << INT_WITHOUT_NIBBLE >> INT_WITHOUT_NIBBLE;
    }

    private static float value(MemorySegment values, long offset, int i) {
        return values.get(FLOAT, offset + (long) i * Float.BYTES);
    }

    private static void set(MemorySegment values, long offset, int i, float value) {
        values.set(FLOAT, offset + (long) i * Float.BYTES, value);
    }
}
