package io.hearth.transport;

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

    public RecordHeader {
        if (length < 0 || length > SEGMENT_BYTES_MAX || kind < 0 || kind > 255 || chunk < 0 || chunk > 0xFFFF) {
            throw new IllegalArgumentException(
                    "no record has length " + length + ", kind " + kind + ", chunk " + chunk);
        }
    }
}
