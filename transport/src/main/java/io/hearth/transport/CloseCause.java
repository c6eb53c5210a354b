package io.hearth.transport;

/** Why an admitted link ends, as its two ends tell each other. The number is its form on the wire. */
public enum CloseCause {
    /** The owner of the other end asked for it. */
    REQUESTED(1),
    /** Another link between the two nodes goes on. */
    DUPLICATE(2),
    /** The peer started anew. */
    REPLACED(3),
    /** Bytes that break the wire rules. */
    MALFORMED(4),
    /** A cause of a later version. */
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
