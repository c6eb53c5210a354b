package io.hearth.collective.engine;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Test elements of all types: integers, whose combinations are exact, and difficult values; and the expected results of integers. */
final class TypedValues {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private TypedValues() {}

    static boolean isFloat(DataType type) {
        return switch (type) {
            case FLOAT32, FLOAT64, FLOAT16, BFLOAT16 -> true;
            case INT32, INT64, INT8, UINT8 -> false;
        };
    }

    /** Any integers, which wrap; floats so small that 16 ranks combine them without rounding. */
    static long[] whole(DataType type, ReduceOp op, int rank, int count, long seed) {
        var random = new SplittableRandom(seed * 131 + rank);
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            if (!isFloat(type)) {
                values[i] = narrow(type, random.nextLong());
            } else if (op != ReduceOp.PROD) {
                values[i] = random.nextInt(-8, 9);
            } else {
                values[i] = (random.nextBoolean() ? 1L : -1L) * (rank < 8 ? random.nextInt(1, 3) : 1);
            }
        }
        return values;
    }

    static byte[] encode(DataType type, long[] values, int divisor) {
        byte[] bytes = new byte[values.length * type.bytes()];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        for (int i = 0; i < values.length; i++) {
            long at = (long) i * type.bytes();
            if (isFloat(type)) {
                double divided = type == DataType.FLOAT64 ? (double) values[i] / divisor : (float) values[i] / divisor;
                put(type, memory, at, divided);
            } else {
                putWhole(type, memory, at, values[i] / divisor);
            }
        }
        return bytes;
    }

    /** Floats of many magnitudes, whose sum depends on the order; zeros of both signs, subnormals, values that overflow, and NaN. */
    static byte[] awkward(DataType type, int rank, int count, long seed) {
        var random = new SplittableRandom(seed * 137 + rank);
        byte[] bytes = new byte[count * type.bytes()];
        random.nextBytes(bytes);
        MemorySegment memory = MemorySegment.ofArray(bytes);
        for (int i = 0; i < count && isFloat(type); i++) {
            if (random.nextInt(4) > 0) {
                double value = random.nextInt(9) == 0 ? -0.0 : (random.nextDouble() - 0.5) * (1 << random.nextInt(12));
                put(type, memory, (long) i * type.bytes(), value);
            }
        }
        return bytes;
    }

    /** Expected result, combined one rank after the other. */
    static byte[] combined(DataType type, ReduceOp op, List<long[]> inputs) {
        long[] result = inputs.getFirst().clone();
        for (long[] input : inputs.subList(1, inputs.size())) {
            for (int i = 0; i < result.length; i++) {
                result[i] = narrow(
                        type,
                        switch (op) {
                            case SUM, AVG -> result[i] + input[i];
                            case MIN -> Math.min(result[i], input[i]);
                            case MAX -> Math.max(result[i], input[i]);
                            case PROD -> result[i] * input[i];
                        });
            }
        }
        return encode(type, result, op == ReduceOp.AVG ? inputs.size() : 1);
    }

    /** The first element whose bits differ, -1 if there is none; all NaNs count as equal. */
    static int difference(DataType type, byte[] one, byte[] other) {
        if (Arrays.equals(one, other)) {
            return -1;
        }
        if (one.length != other.length || one.length % type.bytes() != 0) {
            return Math.min(one.length, other.length) / type.bytes();
        }
        MemorySegment left = MemorySegment.ofArray(one);
        MemorySegment right = MemorySegment.ofArray(other);
        for (int at = 0; at < one.length; at += type.bytes()) {
            boolean isSame = left.asSlice(at, type.bytes()).mismatch(right.asSlice(at, type.bytes())) == -1;
            if (!isSame && !(isFloat(type) && isNan(type, left, at) && isNan(type, right, at))) {
                return at / type.bytes();
            }
        }
        return -1;
    }

    private static boolean isNan(DataType type, MemorySegment memory, long at) {
        return switch (type) {
            case FLOAT32 -> Float.isNaN(Float.intBitsToFloat(memory.get(INT, at)));
            case FLOAT64 -> Double.isNaN(Double.longBitsToDouble(memory.get(LONG, at)));
            case FLOAT16 -> Float.isNaN(Float.float16ToFloat(memory.get(SHORT, at)));
            case BFLOAT16 -> Float.isNaN(Float.intBitsToFloat(memory.get(SHORT, at) << 16));
            case INT32, INT64, INT8, UINT8 -> false;
        };
    }

    private static void put(DataType type, MemorySegment memory, long at, double value) {
        switch (type) {
            case FLOAT32 -> memory.set(INT, at, Float.floatToRawIntBits((float) value));
            case FLOAT64 -> memory.set(LONG, at, Double.doubleToRawLongBits(value));
            case FLOAT16 -> memory.set(SHORT, at, Float.floatToFloat16((float) value));
            case BFLOAT16 -> {
                int bits = Float.floatToRawIntBits((float) value);
                memory.set(SHORT, at, (short) ((bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16));
            }
            case INT32, INT64, INT8, UINT8 -> throw new IllegalArgumentException(type + " is no float");
        }
    }

    private static void putWhole(DataType type, MemorySegment memory, long at, long value) {
        switch (type.bytes()) {
            case 8 -> memory.set(LONG, at, value);
            case 4 -> memory.set(INT, at, (int) value);
            default -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        }
    }

    private static long narrow(DataType type, long value) {
        return switch (type) {
            case INT32 -> (int) value;
            case INT8 -> (byte) value;
            case UINT8 -> value & 0xFF;
            case INT64, FLOAT32, FLOAT64, FLOAT16, BFLOAT16 -> value;
        };
    }
}
