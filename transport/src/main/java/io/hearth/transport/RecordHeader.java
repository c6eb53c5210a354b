package io.hearth.transport;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The clear, authenticated head of a record on a data stream, 24 bytes little-endian:
 *
 * <pre>
 *  0        4     5     6       8              16             24
 *  +--------+-----+-----+-------+--------------+--------------+
 *  | length |kind | 0   | chunk | collective   | offset       |
 *  +--------+-----+-----+-------+--------------+--------------+
 * </pre>
 *
 * @param length plaintext bytes that follow, 0 to {@link #RECORD_BYTES_MAX}
 * @param kind 0 to 255; {@link #OPEN} and {@link #END} belong to the stream, the rest to its users
 * @param chunk 0 to 65,535
 * @param collective number of the collective in its group
 * @param offset of the segment in bytes
 */
public record RecordHeader(int length, int kind, int chunk, long collective, long offset) {
    /** Size on the wire. */
    public static final int BYTES = 24;

    /** Largest segment that a record carries. */
    public static final int SEGMENT_BYTES_MAX = 256 * 1024;

    /** Most plaintext bytes of one record: a segment and a prefix. */
    public static final int RECORD_BYTES_MAX = SEGMENT_BYTES_MAX + 512;

    /** Bytes before the plaintext of a record on one of several lanes: its sequence number and acknowledgements. */
    public static final int LANE_BYTES = 24;

    /** First record of each direction. */
    public static final int OPEN = 0;

    /** Last record of each direction: it shows that nothing was cut off. */
    public static final int END = 1;

    /** Acknowledgement on one of several lanes. */
    public static final int ACKNOWLEDGEMENT = 2;

    /** Lowest kind that users of a stream may give to their own records. */
    public static final int USER_MIN = 16;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    public RecordHeader {
        check(length, kind, chunk);
    }

    /** Checks the fields of a header. */
    static void check(long length, int kind, int chunk) {
        check(length, RECORD_BYTES_MAX, kind, chunk);
    }

    private static void check(long length, int most, int kind, int chunk) {
        if (length < 0 || length > most || kind < 0 || kind > 255 || chunk < 0 || chunk > 0xFFFF) {
            throw new IllegalArgumentException(
                    "no record has length " + length + ", kind " + kind + ", chunk " + chunk);
        }
    }

    /**
     * The length of a record that a user of a stream may send.
     *
     * @throws IllegalArgumentException there is no such record
     */
    public static int checkSent(int kind, int chunk, MemorySegment prefix, MemorySegment bytes, long from, int length) {
        Objects.checkFromIndexSize(from, length, bytes.byteSize());
        long whole = prefix.byteSize() + length;
        check(whole, kind, chunk);
        if (kind < USER_MIN) {
            throw new IllegalArgumentException("kinds below " + USER_MIN + " are the stream's own, not " + kind);
        }
        return (int) whole;
    }

    /** Writes the wire form to the first {@link #BYTES} of {@code record}. */
    public void writeTo(byte[] record) {
        write(record, length, kind, chunk, collective, offset);
    }

    /** Writes the wire form of checked values to the first {@link #BYTES} of {@code record}. */
    public static void write(byte[] record, int length, int kind, int chunk, long collective, long offset) {
        INT.set(record, 0, length);
        record[4] = (byte) kind;
        record[5] = 0;
        SHORT.set(record, 6, (short) chunk);
        LONG.set(record, 8, collective);
        LONG.set(record, 16, offset);
    }

    /**
     * The length in a wire form from an untrusted sender; only its bounds were checked.
     *
     * @param isLane whether the record may have {@link #LANE_BYTES} more
     * @throws IllegalArgumentException if this is no header
     */
    public static int readLength(byte[] record, boolean isLane) {
        int length = (int) INT.get(record, 0);
        check(length, isLane ? RECORD_BYTES_MAX + LANE_BYTES : RECORD_BYTES_MAX, 0, 0);
        if (record[5] != 0) {
            throw new IllegalArgumentException("byte 5 of a header is 0, not " + record[5]);
        }
        return length;
    }

    /** Fills {@code received} with that header, whose length was already read, and that plaintext. */
    public static ReceivedRecord read(byte[] record, int length, byte[] plaintext, ReceivedRecord received) {
        return received.show(
                Byte.toUnsignedInt(record[4]),
                Short.toUnsignedInt((short) SHORT.get(record, 6)),
                (long) LONG.get(record, 8),
                (long) LONG.get(record, 16),
                plaintext,
                0,
                length);
    }
}
