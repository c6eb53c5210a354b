package io.hearth.transport;

/**
 * One message of a control link as it travels inside TLS, big-endian:
 *
 * <pre>
 *  0          4        6
 *  +----------+--------+---------------+
 *  | length   | kind   | length bytes  |
 *  +----------+--------+---------------+
 * </pre>
 *
 * @param kind 1 to 65,535; kinds below {@link #USER_MIN} belong to the link itself
 * @param bytes the message, at most {@link #BYTES_MAX}; must not be changed after the frame was made
 */
@SuppressWarnings("ArrayRecordComponent") // passed once from the decoder to its receiver, never compared
public record Frame(int kind, byte[] bytes) {
    /** Bytes before the message. */
    public static final int HEADER_BYTES = 6;

    /** Most bytes of one message. */
    public static final int BYTES_MAX = 64 * 1024;

    /** Lowest kind of the messages of a link's users. */
    public static final int USER_MIN = 16;

    /** Highest kind. */
    public static final int KIND_MAX = 0xFFFF;
}
