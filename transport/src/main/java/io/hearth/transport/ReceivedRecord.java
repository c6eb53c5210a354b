package io.hearth.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A record that arrived. Each stream has one such object and fills it again and again: the object and its bytes are borrowed until the
 * calling thread receives again, from any stream.
 *
 * <p>The plaintext is in a heap array or in native memory, wherever the stream has it without a copy.
 */
public final class ReceivedRecord {
    private static final byte[] NO_ARRAY = {};
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private int kind;
    private int chunk;
    private long collective;
    private long offset;
    private int length;
    private boolean isNative;
    private byte[] array = NO_ARRAY; // the last one

    /** The last array as a segment, kept so that a record in the same array allocates nothing. */
    private MemorySegment arrayMemory = MemorySegment.ofArray(NO_ARRAY);

    private MemorySegment memory = MemorySegment.NULL;
    private long at;

    /** An empty record of kind 0, to be filled. */
    public ReceivedRecord() {}

    /** Kind of the record, from {@link RecordHeader#USER_MIN} to 255. */
    public int kind() {
        return kind;
    }

    /** 0 to 65,535. */
    public int chunk() {
        return chunk;
    }

    /** Number of the collective in its group. */
    public long collective() {
        return collective;
    }

    /** Offset of the segment in bytes; an unchecked value from the peer. */
    public long offset() {
        return offset;
    }

    /** Bytes of plaintext, 0 to {@link RecordHeader#RECORD_BYTES_MAX}. */
    public int length() {
        return length;
    }

    /** Whether the plaintext is in native memory and not in an array. */
    public boolean isNative() {
        return isNative;
    }

    /**
     * Holds the plaintext from {@link #memoryOffset} on: native memory, or a {@code byte[]}. Native memory may be shared with the peer's
     * process, which could change it at any time: read each byte once.
     */
    public MemorySegment memory() {
        return memory;
    }

    /** In bytes. */
    public long memoryOffset() {
        return at;
    }

    /** The little-endian number in the 8 bytes of plaintext from {@code from} on. */
    public long getLong(int from) {
        Objects.checkFromIndexSize(from, Long.BYTES, length);
        return memory.get(LONG, at + from);
    }

    /** A copy of the plaintext. */
    public byte[] toBytes() {
        byte[] bytes = new byte[length];
        copyTo(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    /**
     * Copies the plaintext.
     *
     * @param target heap or native, with {@link #length} bytes from {@code targetOffset} on; written
     * @throws IndexOutOfBoundsException it has less; nothing was written
     */
    public void copyTo(MemorySegment target, long targetOffset) {
        MemorySegment.copy(memory, at, target, targetOffset, length);
    }

    /** The record's header as a separate object, for tests and error messages. */
    public RecordHeader header() {
        return new RecordHeader(length, kind, chunk, collective, offset);
    }

    /**
     * Makes this the record with that plaintext; for streams.
     *
     * @param bytes borrowed
     * @return this
     */
    @SuppressWarnings("ReferenceEquality") // the very same array needs no new segment
    public ReceivedRecord show(
            int kind, int chunk, long collective, long offset, byte[] bytes, int bytesOffset, int length) {
        describe(kind, chunk, collective, offset, length);
        if (array != bytes) {
            array = bytes;
            arrayMemory = MemorySegment.ofArray(bytes);
        }
        isNative = false;
        memory = arrayMemory;
        at = bytesOffset;
        return this;
    }

    /**
     * Makes this the record with that plaintext; for streams.
     *
     * @param bytes native, borrowed
     * @return this
     */
    public ReceivedRecord show(
            int kind, int chunk, long collective, long offset, MemorySegment bytes, long bytesOffset, int length) {
        describe(kind, chunk, collective, offset, length);
        isNative = true;
        memory = bytes;
        at = bytesOffset;
        return this;
    }

    private void describe(int kind, int chunk, long collective, long offset, int length) {
        this.kind = kind;
        this.chunk = chunk;
        this.collective = collective;
        this.offset = offset;
        this.length = length;
    }
}
