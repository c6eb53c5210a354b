package io.hearth.accel;

import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

/** Reads and writes the bits of elements of any type in test memory, and makes random ones with every special value among them. */
public final class Elements {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Elements() {}

    public static long get(MemorySegment memory, DataType type, long offset) {
        return switch (type.bytes()) {
            case 1 -> memory.get(ValueLayout.JAVA_BYTE, offset);
            case 2 -> memory.get(SHORT, offset);
            case 4 -> memory.get(INT, offset);
            default -> memory.get(LONG, offset);
        };
    }

    public static void set(MemorySegment memory, DataType type, long offset, long bits) {
        switch (type.bytes()) {
            case 1 -> memory.set(ValueLayout.JAVA_BYTE, offset, (byte) bits);
            case 2 -> memory.set(SHORT, offset, (short) bits);
            case 4 -> memory.set(INT, offset, (int) bits);
            default -> memory.set(LONG, offset, bits);
        }
    }

    /**
     * Half of the elements are random bits, a quarter have moderate size (so that sums and products round), a quarter are special values.
     */
    static long random(SplittableRandom random, DataType type) {
        return switch (random.nextInt(4)) {
            case 0 -> special(type)[random.nextInt(special(type).length)];
            case 1 -> moderate(random, type);
            default -> random.nextLong();
        };
    }

    private static long moderate(SplittableRandom random, DataType type) {
        float value = (float) random.nextGaussian() * 3;
        return switch (type) {
            case FLOAT64 -> Double.doubleToRawLongBits(random.nextGaussian());
            case FLOAT32 -> Float.floatToRawIntBits(value);
            case FLOAT16 -> Float.floatToFloat16(value);
            case BFLOAT16 -> Float.floatToRawIntBits(value) >>> 16;
            default -> random.nextInt(-9, 10);
        };
    }

    /** Zeros, infinities, quiet and signalling NaN, smallest and largest subnormal and normal, of both signs. */
    private static long[] special(DataType type) {
        return switch (type) {
            case FLOAT64 -> FLOAT64;
            case FLOAT32 -> FLOAT32;
            case FLOAT16 -> FLOAT16;
            case BFLOAT16 -> BFLOAT16;
            default -> INTEGERS;
        };
    }

    private static final long[] FLOAT64 = both(
            Long.MIN_VALUE,
            0,
            0x7ff0_0000_0000_0000L,
            0x7ff8_0000_0000_0001L,
            0x7ff0_0000_0000_0001L,
            1,
            0x000f_ffff_ffff_ffffL,
            0x0010_0000_0000_0000L,
            0x7fef_ffff_ffff_ffffL);
    private static final long[] FLOAT32 = both(
            0x8000_0000L,
            0,
            0x7f80_0000,
            0x7fc0_0001,
            0x7f80_0001,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x7f7f_ffff,
            0x3f80_8000,
            0x3f81_8000);
    private static final long[] FLOAT16 = both(0x8000, 0, 0x7c00, 0x7e01, 0x7c01, 1, 0x03ff, 0x0400, 0x7bff, 0x3c00);
    private static final long[] BFLOAT16 =
            both(0x8000, 0, 0x7f80, 0x7fc1, 0x7f81, 1, 0x007f, 0x0080, 0x7f7f, 0x3f80, 0x3f81, 0x3b80, 0x4380);
    private static final long[] INTEGERS = {
        0, 1, -1, Byte.MIN_VALUE, Byte.MAX_VALUE, Integer.MIN_VALUE, Integer.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE
    };

    private static long[] both(long sign, long... positive) {
        long[] all = new long[2 * positive.length];
        for (int i = 0; i < positive.length; i++) {
            all[2 * i] = positive[i];
            all[2 * i + 1] = positive[i] | sign;
        }
        return all;
    }
}
