package io.hearth.transport;

/** What a connection is for. The number is its form on the wire. */
enum Purpose {
    UNKNOWN(0),
    /** A link between two members of a namespace. */
    MEMBER(1),
    /** A newcomer that a person is pairing. */
    PAIR(2),
    /** A member that was away while the secret changed. */
    REKEY(3);

    private final int code;

    Purpose(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    static Purpose of(int code) {
        for (Purpose purpose : values()) {
            if (purpose.code == code) {
                return purpose;
            }
        }
        return UNKNOWN;
    }
}
