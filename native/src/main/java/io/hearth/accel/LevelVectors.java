package io.hearth.accel;

import static io.hearth.accel.PortableCodecKernels.FLOAT;
import static io.hearth.accel.PortableCodecKernels.INFINITY;
import static io.hearth.accel.PortableCodecKernels.MAGNITUDE;
import static io.hearth.accel.PortableCodecKernels.ROUNDER;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loops over one block of a {@link BlockFormat} by whole vectors, all operands in native memory; what is left after the last
 * whole vector goes one by one. Each float lane becomes a byte of a vector a quarter as wide.
 */
final class LevelVectors {
    private static final VectorSpecies<Float> FLOATS =
            VectorSpecies.of(float.class, ByteVector.SPECIES_PREFERRED.vectorShape());
    private static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class);
    private static final VectorSpecies<Byte> WHOLE = FLOATS.withLanes(byte.class);

    /** Vectors of 128 bits would need one of 32, which does not exist. */
    static final boolean PRESENT = FLOATS.vectorBitSize() >= 256;

    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.vectorBitSize() / 4)));

    private static final int LANES = FLOATS.length();

    /** Vectors per turn: a block of 64 values is one turn of 512 bits, and C2's own unrolling pays for long loops only. */
    private static final int FOUR = 4;

    private static final int NIBBLE = 15;
    private static final int NIBBLE_BITS = 4;
    private static final int BYTE_WITHOUT_NIBBLE = 28;

    private LevelVectors() {}

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
        return values.get(PortableCodecKernels.BITS, offset + (long) i * Float.BYTES);
    }

    /** The index of the first value that is not finite; there is one. */
    static int firstNotFinite(MemorySegment values, long offset) {
        int i = 0;
        while ((bits(values, offset, i) & MAGNITUDE) < INFINITY) {
            i++;
        }
        return i;
    }

    /** Levels of 8 bits to {@code at}. */
    static void quantise8(MemorySegment values, long offset, int n, float divisor, MemorySegment body, long at) {
        int i = 0;
        for (; i <= n - FOUR * LANES; i += FOUR * LANES) {
            quantise8Vector(values, offset, i, divisor, body, at);
            quantise8Vector(values, offset, i + LANES, divisor, body, at);
            quantise8Vector(values, offset, i + 2 * LANES, divisor, body, at);
            quantise8Vector(values, offset, i + 3 * LANES, divisor, body, at);
        }
        for (; i <= n - LANES; i += LANES) {
            quantise8Vector(values, offset, i, divisor, body, at);
        }
        for (; i < n; i++) {
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) level(value(values, offset, i), divisor));
        }
    }

    private static void quantise8Vector(
            MemorySegment values, long offset, long i, float divisor, MemorySegment body, long at) {
        rounded(
                        FloatVector.fromMemorySegment(
                                FLOATS, NativeMemory.of(values), offset + i * Float.BYTES, ByteOrder.LITTLE_ENDIAN),
                        divisor)
                .convertShape(VectorOperators.I2B, BYTES, 0)
                .reinterpretAsBytes()
                .intoMemorySegment(NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
    }

    /** Levels of 8 bits to {@code at}; values less what the levels stand for. */
    static void quantise8LeavingError(
            MemorySegment values, long offset, int n, float scale, float divisor, MemorySegment body, long at) {
        int i = 0;
        for (; i <= n - FOUR * LANES; i += FOUR * LANES) {
            quantise8LeavingErrorVector(values, offset, i, scale, divisor, body, at);
            quantise8LeavingErrorVector(values, offset, i + LANES, scale, divisor, body, at);
            quantise8LeavingErrorVector(values, offset, i + 2 * LANES, scale, divisor, body, at);
            quantise8LeavingErrorVector(values, offset, i + 3 * LANES, scale, divisor, body, at);
        }
        for (; i <= n - LANES; i += LANES) {
            quantise8LeavingErrorVector(values, offset, i, scale, divisor, body, at);
        }
        for (; i < n; i++) {
            float value = value(values, offset, i);
            int level = level(value, divisor);
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) level);
            set(values, offset, i, value - level * scale);
        }
    }

    private static void quantise8LeavingErrorVector(
            MemorySegment values, long offset, long i, float scale, float divisor, MemorySegment body, long at) {
        long place = offset + i * Float.BYTES;
        FloatVector value =
                FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
        IntVector rounded = rounded(value, divisor);
        rounded.convertShape(VectorOperators.I2B, BYTES, 0)
                .reinterpretAsBytes()
                .intoMemorySegment(NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
        value.sub(rounded.reinterpretAsFloats().sub(ROUNDER).mul(scale))
                .intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
    }

    /** Levels of 4 bits to {@code at}. */
    static void quantise4(MemorySegment values, long offset, int n, float divisor, MemorySegment body, long at) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            IntVector low = rounded(
                    FloatVector.fromMemorySegment(
                            FLOATS, NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN),
                    divisor);
            IntVector high = rounded(
                    FloatVector.fromMemorySegment(
                            FLOATS, NativeMemory.of(values), upper + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN),
                    divisor);
            pack(low, high).intoMemorySegment(NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < half; i++) {
            int low = level(value(values, offset, i), divisor);
            int high = half + i < n ? level(value(values, upper, i), divisor) : 0;
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) ((low & NIBBLE) | (high << NIBBLE_BITS)));
        }
    }

    /** Levels of 4 bits to {@code at}; values less what the levels stand for. */
    static void quantise4LeavingError(
            MemorySegment values, long offset, int n, float scale, float divisor, MemorySegment body, long at) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            long lowPlace = offset + (long) i * Float.BYTES;
            long highPlace = upper + (long) i * Float.BYTES;
            FloatVector lowValue =
                    FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), lowPlace, ByteOrder.LITTLE_ENDIAN);
            FloatVector highValue =
                    FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), highPlace, ByteOrder.LITTLE_ENDIAN);
            IntVector low = rounded(lowValue, divisor);
            IntVector high = rounded(highValue, divisor);
            pack(low, high).intoMemorySegment(NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
            lowValue.sub(low.reinterpretAsFloats().sub(ROUNDER).mul(scale))
                    .intoMemorySegment(NativeMemory.of(values), lowPlace, ByteOrder.LITTLE_ENDIAN);
            highValue
                    .sub(high.reinterpretAsFloats().sub(ROUNDER).mul(scale))
                    .intoMemorySegment(NativeMemory.of(values), highPlace, ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < half; i++) {
            float lowValue = value(values, offset, i);
            int low = level(lowValue, divisor);
            int high = 0;
            set(values, offset, i, lowValue - low * scale);
            if (half + i < n) {
                float highValue = value(values, upper, i);
                high = level(highValue, divisor);
                set(values, upper, i, highValue - high * scale);
            }
            body.set(ValueLayout.JAVA_BYTE, at + i, (byte) ((low & NIBBLE) | (high << NIBBLE_BITS)));
        }
    }

    static void dequantise8(MemorySegment body, long at, MemorySegment values, long offset, int n, float scale) {
        int i = 0;
        for (; i <= n - FOUR * LANES; i += FOUR * LANES) {
            dequantise8Vector(body, at, values, offset, i, scale);
            dequantise8Vector(body, at, values, offset, i + LANES, scale);
            dequantise8Vector(body, at, values, offset, i + 2 * LANES, scale);
            dequantise8Vector(body, at, values, offset, i + 3 * LANES, scale);
        }
        for (; i <= n - LANES; i += LANES) {
            dequantise8Vector(body, at, values, offset, i, scale);
        }
        for (; i < n; i++) {
            set(values, offset, i, body.get(ValueLayout.JAVA_BYTE, at + i) * scale);
        }
    }

    private static void dequantise8Vector(
            MemorySegment body, long at, MemorySegment values, long offset, long i, float scale) {
        levels8(ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN))
                .mul(scale)
                .intoMemorySegment(NativeMemory.of(values), offset + i * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    static void dequantise8AndAdd(MemorySegment body, long at, MemorySegment values, long offset, int n, float scale) {
        int i = 0;
        for (; i <= n - FOUR * LANES; i += FOUR * LANES) {
            dequantise8AndAddVector(body, at, values, offset, i, scale);
            dequantise8AndAddVector(body, at, values, offset, i + LANES, scale);
            dequantise8AndAddVector(body, at, values, offset, i + 2 * LANES, scale);
            dequantise8AndAddVector(body, at, values, offset, i + 3 * LANES, scale);
        }
        for (; i <= n - LANES; i += LANES) {
            dequantise8AndAddVector(body, at, values, offset, i, scale);
        }
        for (; i < n; i++) {
            set(values, offset, i, value(values, offset, i) + body.get(ValueLayout.JAVA_BYTE, at + i) * scale);
        }
    }

    private static void dequantise8AndAddVector(
            MemorySegment body, long at, MemorySegment values, long offset, long i, float scale) {
        long place = offset + i * Float.BYTES;
        FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN)
                .add(levels8(ByteVector.fromMemorySegment(
                                BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN))
                        .mul(scale))
                .intoMemorySegment(NativeMemory.of(values), place, ByteOrder.LITTLE_ENDIAN);
    }

    static void dequantise4(MemorySegment body, long at, MemorySegment values, long offset, int n, float scale) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            IntVector packed =
                    packed(ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN));
            low(packed)
                    .mul(scale)
                    .intoMemorySegment(
                            NativeMemory.of(values), offset + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
            high(packed)
                    .mul(scale)
                    .intoMemorySegment(
                            NativeMemory.of(values), upper + (long) i * Float.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < half; i++) {
            int packed = body.get(ValueLayout.JAVA_BYTE, at + i);
            set(values, offset, i, (packed << BYTE_WITHOUT_NIBBLE >> BYTE_WITHOUT_NIBBLE) * scale);
            if (half + i < n) {
                set(values, upper, i, (packed >> NIBBLE_BITS) * scale);
            }
        }
    }

    static void dequantise4AndAdd(MemorySegment body, long at, MemorySegment values, long offset, int n, float scale) {
        int half = BlockFormat.half(n);
        long upper = offset + (long) half * Float.BYTES;
        int i = 0;
        for (; i <= n - half - LANES; i += LANES) {
            IntVector packed =
                    packed(ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN));
            long lowPlace = offset + (long) i * Float.BYTES;
            long highPlace = upper + (long) i * Float.BYTES;
            FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), lowPlace, ByteOrder.LITTLE_ENDIAN)
                    .add(low(packed).mul(scale))
                    .intoMemorySegment(NativeMemory.of(values), lowPlace, ByteOrder.LITTLE_ENDIAN);
            FloatVector.fromMemorySegment(FLOATS, NativeMemory.of(values), highPlace, ByteOrder.LITTLE_ENDIAN)
                    .add(high(packed).mul(scale))
                    .intoMemorySegment(NativeMemory.of(values), highPlace, ByteOrder.LITTLE_ENDIAN);
        }
        for (; i < half; i++) {
            int packed = body.get(ValueLayout.JAVA_BYTE, at + i);
            float low = (packed << BYTE_WITHOUT_NIBBLE >> BYTE_WITHOUT_NIBBLE) * scale;
            set(values, offset, i, value(values, offset, i) + low);
            if (half + i < n) {
                set(values, upper, i, value(values, upper, i) + (packed >> NIBBLE_BITS) * scale);
            }
        }
    }

    /** Whether none of {@code bytes} is -128. */
    static boolean sound8(MemorySegment body, long at, int bytes) {
        ByteVector least = ByteVector.zero(WHOLE);
        int i = 0;
        for (; i <= bytes - WHOLE.length(); i += WHOLE.length()) {
            least = least.min(
                    ByteVector.fromMemorySegment(WHOLE, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN));
        }
        int minimum = least.reduceLanes(VectorOperators.MIN);
        for (; i < bytes; i++) {
            minimum = Math.min(minimum, body.get(ValueLayout.JAVA_BYTE, at + i));
        }
        return minimum > Byte.MIN_VALUE;
    }

    /** Whether no half of {@code bytes} is -8. */
    static boolean sound4(MemorySegment body, long at, int bytes) {
        ByteVector least = ByteVector.zero(BYTES);
        int i = 0;
        for (; i <= bytes - BYTES.length(); i += BYTES.length()) {
            ByteVector packed =
                    ByteVector.fromMemorySegment(BYTES, NativeMemory.of(body), at + i, ByteOrder.LITTLE_ENDIAN);
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

    /** Whether the upper half of the last byte is empty where no level belongs there. */
    static boolean padded4(MemorySegment body, long last, int n) {
        return (n & 1) == 0 || body.get(ValueLayout.JAVA_BYTE, last) >> NIBBLE_BITS == 0;
    }

    /** The lowest byte of each lane is the level; as float it is the level plus {@code ROUNDER}. */
    private static IntVector rounded(FloatVector values, float divisor) {
        return values.div(divisor).add(ROUNDER).reinterpretAsInts();
    }

    private static ByteVector pack(IntVector low, IntVector high) {
        return low.and(NIBBLE)
                .or(high.lanewise(VectorOperators.LSHL, NIBBLE_BITS))
                .convertShape(VectorOperators.I2B, BYTES, 0)
                .reinterpretAsBytes();
    }

    private static FloatVector levels8(ByteVector bytes) {
        return (FloatVector) bytes.convertShape(VectorOperators.B2F, FLOATS, 0);
    }

    private static IntVector packed(ByteVector bytes) {
        return (IntVector) bytes.convertShape(VectorOperators.B2I, INTS, 0);
    }

    private static FloatVector low(IntVector packed) {
        return (FloatVector) packed.lanewise(VectorOperators.LSHL, BYTE_WITHOUT_NIBBLE)
                .lanewise(VectorOperators.ASHR, BYTE_WITHOUT_NIBBLE)
                .convert(VectorOperators.I2F, 0);
    }

    private static FloatVector high(IntVector packed) {
        return (FloatVector) packed.lanewise(VectorOperators.ASHR, NIBBLE_BITS).convert(VectorOperators.I2F, 0);
    }

    private static int level(float value, float divisor) {
        return (int) (value / divisor + ROUNDER - ROUNDER);
    }

    private static float value(MemorySegment values, long offset, int i) {
        return values.get(FLOAT, offset + (long) i * Float.BYTES);
    }

    private static void set(MemorySegment values, long offset, int i, float value) {
        values.set(FLOAT, offset + (long) i * Float.BYTES, value);
    }
}
