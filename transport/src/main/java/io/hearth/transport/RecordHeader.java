package io.hearth.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

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
 * @param length plaintext bytes that follow, 0 to {@link #SEGMENT_BYTES_MAX}
 * @param kind 0 to 255; {@link #OPEN} and {@link #END} belong to the stream, the rest to its users
 * @param chunk 0 to 65,535
 * @param collective number of the collective in its group
 * @param offset of the segment in bytes
 */
public record RecordHeader(int length, int kind, int chunk, long collective, long offset) {
    /** Size on the wire. */
    public static final int BYTES = 24;

    /** Most plaintext bytes of one record. */
    public static final int SEGMENT_BYTES_MAX = 256 * 1024;

    /** First record of each direction. */
    public static final int OPEN = 0;

    /** Last record of each direction: the sender has nothing more to say, and nothing was cut off. */
    public static final int END = 1;

    /** Lowest kind that users of a stream may give to their own records. */
    public static final int USER_MIN = 16;

    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    public RecordHeader {
        if (length < 0 || length > SEGMENT_BYTES_MAX || kind < 0 || kind > 255 || chunk < 0 || chunk > 0xFFFF) {
            throw new IllegalArgumentException(
                    "no record has length " + length + ", kind " + kind + ", chunk " + chunk);
        }
    }
    /** Writes the wire form to the first {@link #BYTES} of {@code record}. */
    void writeTo(byte[] record) {
        INT.set(record, 0, length);
        record[4] = (byte) kind;
        record[5] = 0;
        SHORT.set(record, 6, (short) chunk);
        LONG.set(record, 8, collective);
        LONG.set(record, 16, offset);
    }

    /**
     * Reads the wire form, which may come from anybody: nothing but its bounds is known.
     *
     * @throws IllegalArgumentException no header looks like this
     */
    static RecordHeader readFrom(byte[] record) {
        if (record[5] != 0) {
            throw new IllegalArgumentException("byte 5 of a header is 0, not " + record[5]);
        }
        return new RecordHeader(
                (int) INT.get(record, 0),
                Byte.toUnsignedInt(record[4]),
                Short.toUnsignedInt((short) SHORT.get(record, 6)),
                (long) LONG.get(record, 8),
                (long) LONG.get(record, 16));
    }
}
