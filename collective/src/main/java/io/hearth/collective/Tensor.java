package io.hearth.collective;

import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Values of one type in memory of the caller, as collectives take them. Nothing is copied: a result is written into the same memory.
 *
 * @param memory a whole number of elements, little-endian, on the heap or native
 * @param type of each element
 */
public record Tensor(MemorySegment memory, DataType type) {
    /** Most bytes of a tensor, far from overflow and more than any memory has. */
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
     * A buffer's elements from its position to its limit, both of which stay.
     *
     * @throws IllegalArgumentException its elements are not little-endian
     */
    public static Tensor of(ByteBuffer buffer, DataType type) {
        if (type.bytes() > 1 && buffer.order() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException("the buffer is big-endian, as every new one is, and collectives take"
                    + " little-endian elements: call order(ByteOrder.LITTLE_ENDIAN) before you fill it");
        }
        return new Tensor(MemorySegment.ofBuffer(buffer), type);
    }

    /** The type of both. */
    DataType typeWith(Tensor other) {
        if (type != other.type) {
            throw new IllegalArgumentException("one call takes values of one type, got " + type + " and " + other.type);
        }
        return type;
    }

    /** The type of all; float32 if there are none. */
    static DataType typeOf(List<Tensor> tensors) {
        DataType type = tensors.isEmpty() ? DataType.FLOAT32 : tensors.getFirst().type;
        tensors.forEach(tensor -> tensors.getFirst().typeWith(tensor));
        return type;
    }

    /**
     * Checks memory before anything is sent: later, this rank alone would have the error.
     *
     * @throws IllegalArgumentException it was freed, or belongs to another thread
     */
    public static void requireUsable(MemorySegment memory) {
        if (!memory.scope().isAlive()) {
            throw new IllegalArgumentException("a buffer's memory was freed before the call: its arena is closed");
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new IllegalArgumentException(
                    "a buffer's memory belongs to another thread: call from the one that made"
                            + " its arena, or take Arena.ofShared()");
        }
    }

    /**
     * The same for memory that is written.
     *
     * @throws IllegalArgumentException it is read-only too
     */
    public static void requireWritable(MemorySegment memory) {
        requireUsable(memory);
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the result is written to the buffer, and this one is read-only");
        }
    }

    /**
     * How many elements a buffer has.
     *
     * @throws IllegalArgumentException no whole number
     */
    public static long elements(MemorySegment values, DataType type) {
        if (values.byteSize() % type.bytes() != 0) {
            throw new IllegalArgumentException(values.byteSize() + " bytes are no whole number of " + type);
        }
        return values.byteSize() / type.bytes();
    }
}
