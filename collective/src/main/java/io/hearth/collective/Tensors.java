package io.hearth.collective;

import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What a script's memory is to a backend. */
public final class Tensors {
    /** Most bytes of a tensor, far from overflow and more than any memory has. */
    public static final long BYTES_MAX = 1L << 48;

    private Tensors() {}

    /**
     * A buffer's elements from its position to its limit, both of which stay.
     *
     * @throws IllegalArgumentException its elements are not little-endian
     */
    static MemorySegment of(ByteBuffer buffer, DataType type) {
        if (type.bytes() > 1 && buffer.order() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException("the buffer is big-endian, as every new one is, and collectives take"
                    + " little-endian elements: call order(ByteOrder.LITTLE_ENDIAN) before you fill it");
        }
        return MemorySegment.ofBuffer(buffer);
    }

    /**
     * Checks memory before anything is sent: later, this rank alone would have the error.
     *
     * @throws IllegalArgumentException it was freed, or belongs to another thread
     */
    public static void demandUsable(MemorySegment memory) {
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
    public static void demandWritable(MemorySegment memory) {
        demandUsable(memory);
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
