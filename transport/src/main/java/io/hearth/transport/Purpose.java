package io.hearth.transport;

/** The purpose of a connection. The number is its form on the wire. */
public enum Purpose {
    UNKNOWN(0, "this node serves no connection"),
    /** A link between two members of a namespace. */
    MEMBER(1, "this node serves members only"),
    /** A joining node that a person is pairing. */
    PAIR(2, "this node is here to pair a machine only"),
    /** A member that was away while the secret changed. */
    REKEY(3, "this node is here to renew the secret only");

    private final int code;
    private final String refusal;

    Purpose(int code, String refusal) {
        this.code = code;
        this.refusal = refusal;
    }

    /** The message for a peer whose connection has another purpose. */
    public String refusal() {
        return refusal;
    }

    public int code() {
        return code;
    }

    public static Purpose of(int code) {
        for (Purpose purpose : values()) {
            if (purpose.code == code) {
                return purpose;
            }
        }
        return UNKNOWN;
    }
}
