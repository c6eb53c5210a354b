package io.hearth.collective;

import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Values of one type in the caller's memory, as collectives use them. Nothing is copied: a result is written into the same memory.
 *
 * @param memory a whole number of elements, little-endian, on the heap or native
 * @param type of each element
 */
public record Tensor(MemorySegment memory, DataType type) {
    /** Most bytes of a tensor: far from overflow, and larger than any memory. */
    public static final long BYTES_MAX = 1L << 48;

    /** As float32. */
    public static Tensor of(float[] values) {
        return new Tensor(MemorySegment.ofArray(values), DataType.FLOAT32);
    }

    /** As float64. */
    public static Tensor of(double[] values) {
        return new Tensor(MemorySegment.ofArray(values), DataType.FLOAT64);
    }

    /** As int32. */
    public static Tensor of(int[] values) {
        return new Tensor(MemorySegment.ofArray(values), DataType.INT32);
    }

    /** As int64. */
    public static Tensor of(long[] values) {
        return new Tensor(MemorySegment.ofArray(values), DataType.INT64);
    }

    /** As uint8. */
    public static Tensor of(byte[] values) {
        return new Tensor(MemorySegment.ofArray(values), DataType.UINT8);
    }

    /** A segment's elements. */
    public static Tensor of(MemorySegment values, DataType type) {
        return new Tensor(values, type);
    }

    /**
     * A buffer's elements from its position to its limit; the buffer's position and limit do not change.
     *
     * @throws IllegalArgumentException the elements are not little-endian
     */
    public static Tensor of(ByteBuffer buffer, DataType type) {
        if (type.bytes() > 1 && buffer.order() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException(
                    "buffer must be little-endian, got big-endian, the default of a new ByteBuffer:"
                            + " call order(ByteOrder.LITTLE_ENDIAN) before you fill it");
        }
        return new Tensor(MemorySegment.ofBuffer(buffer), type);
    }

    /** The common type of both. */
    DataType typeWith(Tensor other) {
        if (type != other.type) {
            throw new IllegalArgumentException(
                    "all values of a call must have one type, got " + type + " and " + other.type);
        }
        return type;
    }

    /** The common type of all; float32 for an empty list. */
    static DataType typeOf(List<Tensor> tensors) {
        DataType type = tensors.isEmpty() ? DataType.FLOAT32 : tensors.getFirst().type;
        tensors.forEach(tensor -> tensors.getFirst().typeWith(tensor));
        return type;
    }

    /**
     * Checks memory before anything is sent: later, the error would occur on this rank alone.
     *
     * @throws IllegalArgumentException the memory was freed, or belongs to another thread
     */
    public static void requireUsable(MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new IllegalArgumentException("a buffer's memory was freed before the call: its arena is closed");
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException(
                    "a buffer's memory belongs to another thread: call from the thread that opened"
                            + " its arena, or use Arena.ofShared()");
        }
    }

    /**
     * As {@link #requireUsable}, for memory that is written.
     *
     * @throws IllegalArgumentException the same, or the memory is read-only
     */
    public static void requireWritable(MemorySegment memory) {
        requireUsable(memory);
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the result's buffer must be writable, got a read-only one");
        }
    }

    /**
     * Number of elements of a buffer.
     *
     * @throws IllegalArgumentException the size is not a multiple of an element's
     */
    public static long elements(MemorySegment values, DataType type) {
        if (values.byteSize() % type.bytes() != 0) {
            throw new IllegalArgumentException(
                    "a buffer must hold whole elements of " + type + ", got " + values.byteSize() + " bytes");
        }
        return values.byteSize() / type.bytes();
    }
}
