package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;

/** Computes one element at a time on its bits in a long, slowly and plainly; every engine is judged by it. */
public final class ScalarOracle {
    private static final double BEYOND_BFLOAT16 = 0x1p128;

    private ScalarOracle() {}

    public static long combine(DataType type, ReduceOp op, long left, long right) {
        return switch (type) {
            case FLOAT64 ->
                Double.doubleToLongBits(combine(op, Double.longBitsToDouble(left), Double.longBitsToDouble(right)));
            case FLOAT32, FLOAT16, BFLOAT16 -> narrow(type, combine(op, widen(type, left), widen(type, right)));
            case INT64 -> combine(op, left, right);
            case INT32 -> (int) combine(op, signExtended(left), signExtended(right));
            case INT8 -> (byte) combine(op, (byte) left, (byte) right);
            case UINT8 -> (byte) combine(op, left & 0xff, right & 0xff);
        };
    }

    public static long divide(DataType type, long value, int divisor) {
        return switch (type) {
            case FLOAT64 -> Double.doubleToLongBits(Double.longBitsToDouble(value) / divisor);
            case FLOAT32, FLOAT16, BFLOAT16 -> narrow(type, widen(type, value) / (float) divisor);
            case INT64 -> value / divisor;
            case INT32 -> (int) value / divisor;
            case INT8 -> (byte) ((byte) value / divisor);
            case UINT8 -> (byte) ((value & 0xff) / divisor);
        };
    }

    private static long signExtended(long bits) {
        return bits << 32 >> 32;
    }

    static boolean isNan(DataType type, long bits) {
        return switch (type) {
            case FLOAT64 -> Double.isNaN(Double.longBitsToDouble(bits));
            case FLOAT32, FLOAT16, BFLOAT16 -> Float.isNaN(widen(type, bits));
            case INT64, INT32, INT8, UINT8 -> false;
        };
    }

    private static float widen(DataType type, long bits) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat((short) bits);
            case BFLOAT16 -> Float.intBitsToFloat((int) bits << 16);
            default -> Float.intBitsToFloat((int) bits);
        };
    }

    private static long narrow(DataType type, float value) {
        return switch (type) {
            case FLOAT16 -> Float.floatToFloat16(value);
            case BFLOAT16 -> nearestBfloat16(value);
            default -> Float.floatToRawIntBits(value);
        };
    }

    /** Compares the distances to both neighbours, and does not use the arithmetic on bits of the engines. */
    private static short nearestBfloat16(float value) {
        int below = Float.floatToRawIntBits(value) >>> 16;
        if (Float.isNaN(value)) {
            return (short) 0x7fc0;
        }
        if (Float.isInfinite(value)) {
            return (short) below;
        }
        float lower = Float.intBitsToFloat(below << 16);
        float upper = Float.intBitsToFloat((below + 1) << 16);
        double magnitude = Math.abs((double) value);
        double toLower = magnitude - Math.abs((double) lower);
        double toUpper = (Float.isInfinite(upper) ? BEYOND_BFLOAT16 : Math.abs((double) upper)) - magnitude;
        boolean up = toLower > toUpper || (toLower == toUpper && (below & 1) == 1);
        return (short) (up ? below + 1 : below);
    }

    private static long combine(ReduceOp op, long left, long right) {
        return switch (op) {
            case SUM -> left + right;
            case MIN -> left < right ? left : right;
            case MAX -> left > right ? left : right;
            case PROD -> left * right;
            case AVG -> throw new IllegalArgumentException();
        };
    }

    private static float combine(ReduceOp op, float left, float right) {
        return switch (op) {
            case SUM -> left + right;
            case PROD -> left * right;
            default -> (float) combine(op, (double) left, (double) right);
        };
    }

    private static double combine(ReduceOp op, double left, double right) {
        return switch (op) {
            case SUM -> left + right;
            case PROD -> left * right;
            case MIN -> -larger(-left, -right);
            case MAX -> larger(left, right);
            case AVG -> throw new IllegalArgumentException();
        };
    }

    private static double larger(double left, double right) {
        if (Double.isNaN(left) || Double.isNaN(right)) {
            return Double.NaN;
        }
        if (left == right) {
            return Double.doubleToRawLongBits(left) >= 0 ? left : right; // the positive one of two zeros
        }
        return left > right ? left : right;
    }
}
