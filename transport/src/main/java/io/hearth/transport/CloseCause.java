package io.hearth.transport;

/** The reason why an admitted link ends, as its ends send it. The number is its form on the wire. */
public enum CloseCause {
    /** The owner of the other end closed it. */
    REQUESTED(1),
    /** Another link between the two nodes continues. */
    DUPLICATE(2),
    /** The peer restarted. */
    REPLACED(3),
    /** Bytes that break the wire rules. */
    MALFORMED(4),
    /** A cause of a later protocol version. */
    UNKNOWN(0);

    private final int code;

    CloseCause(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    public static CloseCause of(int code) {
        for (CloseCause cause : values()) {
            if (cause.code == code) {
                return cause;
            }
        }
        return UNKNOWN;
    }
}
