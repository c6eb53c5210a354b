package io.hearth.parameterserver.optimize;

import io.hearth.parameterserver.ElementType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers of one type in little-endian bytes. Once shared, their bytes never change. */
public final class Values {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle FLOAT = MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);
    private static final double TWO_TO_64 = 0x1p64;

    private final ElementType type;
    private final byte[] bytes;

    private Values(ElementType type, byte[] bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    /**
     * Numbers over {@code bytes}, which nobody changes from here on.
     *
     * @throws IllegalArgumentException if these are not whole elements
     */
    public static Values over(ElementType type, byte[] bytes) {
        if (bytes.length % type.bytes() != 0) {
            throw new IllegalArgumentException("elements of " + type + " have " + type.bytes() + " bytes, got "
                    + bytes.length + " bytes: send whole elements");
        }
        return new Values(type, bytes);
    }

    /** Zeros. */
    public static Values zeros(ElementType type, int size) {
        return new Values(type, new byte[Math.multiplyExact(size, type.bytes())]);
    }

    public ElementType type() {
        return type;
    }

    /** The number of elements. */
    public int size() {
        return bytes.length / type.bytes();
    }

    /** The bytes themselves: not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** An element; integers above 2^53 are rounded. */
    public double get(int index) {
        int at = index * type.bytes();
        return switch (type) {
            case FLOAT32 -> (float) FLOAT.get(bytes, at);
            case FLOAT64 -> (double) DOUBLE.get(bytes, at);
            case INT32 -> (int) INT.get(bytes, at);
            case UINT32 -> Integer.toUnsignedLong((int) INT.get(bytes, at));
            case INT64 -> (long) LONG.get(bytes, at);
            case UINT64 -> {
                long value = (long) LONG.get(bytes, at);
                yield value >= 0 ? value : (double) ((value >>> 1) | (value & 1)) * 2;
            }
        };
    }

    /** Sets an element of type float32, rounded to the nearest, or float64. */
    void set(int index, double value) {
        int at = index * type.bytes();
        if (type == ElementType.FLOAT32) {
            FLOAT.set(bytes, at, (float) value);
        } else {
            DOUBLE.set(bytes, at, value);
        }
    }

    /** Sets an integer to {@code old} less a whole number, or to the nearest integer of the type. */
    void setLess(int index, Values old, double change) {
        int at = index * type.bytes();
        switch (type) {
            case INT32 ->
                INT.set(bytes, at, (int) Math.clamp(old.get(index) - change, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case UINT32 -> INT.set(bytes, at, (int) (long) Math.clamp(old.get(index) - change, 0, 0xFFFF_FFFFL));
            case INT64 -> LONG.set(bytes, at, lessSigned((long) LONG.get(old.bytes, at), change));
            case UINT64 -> LONG.set(bytes, at, lessUnsigned((long) LONG.get(old.bytes, at), change));
            case FLOAT32, FLOAT64 -> throw new IllegalStateException("not an integer: " + type);
        }
    }

    private static long lessSigned(long old, double change) {
        if (change >= 0x1p64 || change <= -0x1p64) {
            return change > 0 ? Long.MIN_VALUE : Long.MAX_VALUE; // from any number
        }
        long by = (long) (change / 2); // twice: the whole may be out of range
        return lessInRange(lessInRange(old, by), (long) (change - 2.0 * by) + by);
    }

    private static long lessInRange(long old, long by) {
        long less = old - by;
        boolean isOver = ((old ^ by) & (old ^ less)) < 0;
        return isOver ? (old < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : less;
    }

    private static long lessUnsigned(long old, double change) {
        double size = Math.min(Math.abs(change), TWO_TO_64);
        long by = size >= TWO_TO_64 ? -1L : size >= 0x1p63 ? (long) (size - 0x1p63) + Long.MIN_VALUE : (long) size;
        if (change >= 0) {
            return Long.compareUnsigned(old, by) < 0 ? 0 : old - by;
        }
        long more = old + by;
        return Long.compareUnsigned(more, old) < 0 ? -1L : more;
    }
}
