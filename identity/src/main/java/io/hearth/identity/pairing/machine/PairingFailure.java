package io.hearth.identity.pairing.machine;

/** The reason why a run did not pair two machines. The number is its form on the wire and never changes. */
public enum PairingFailure {
    /** The other side gave a reason that this version does not know. */
    UNKNOWN(0, "for a reason that this version of Hearth does not know"),
    /** The two sides were given different codes. */
    WRONG_CODE(1, "wrong code"),
    /** Malformed bytes, or a message that is not allowed at this stage. */
    MALFORMED(2, "it broke the rules of pairing"),
    /** The sponsor is in a run with another machine. */
    BUSY(3, "another machine is being paired at this moment"),
    /** The code was used, is too old, or has no runs left. */
    DEAD(4, "the code is no longer good"),
    /** The run took too long. */
    TOO_LATE(5, "it took too long"),
    /** The connection ended in the middle. */
    HUNG_UP(6, "the connection ended in the middle"),
    /** A proof of knowledge did not match: a machine in the middle, or invalid numbers. */
    PROOF(7, "its proof does not belong to this connection"),
    /** A machine tried to pair with itself. */
    ITSELF(8, "it is this machine itself"),
    /** The other machine could not complete its part. */
    UNABLE(9, "the other machine could not go on");

    private final int code;
    private final String text;

    PairingFailure(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number on the wire. */
    int code() {
        return code;
    }

    /** The reason for people, as the end of a sentence. */
    public String text() {
        return text;
    }

    static PairingFailure of(int code) {
        for (PairingFailure failure : values()) {
            if (failure.code == code) {
                return failure;
            }
        }
        return UNKNOWN;
    }
}
