package io.hearth.identity.pairing.machine;

/** Why a run did not pair two machines. The number is its form on the wire and never changes. */
public enum PairingFailure {
    /** The other side gave a reason that this version does not know. */
    UNKNOWN(0, "for a reason that this version of Hearth does not know"),
    /** The two sides were given different codes. */
    WRONG_CODE(1, "wrong code"),
    /** Bytes that break the rules, or a message that does not belong there. */
    MALFORMED(2, "it broke the rules of pairing"),
    /** The sponsor is in a run with another machine. */
    BUSY(3, "another machine is being paired at this moment"),
    /** The code was used, is too old, or had its runs. */
    DEAD(4, "the code is no longer good"),
    /** The run took too long. */
    TOO_LATE(5, "it took too long"),
    /** The connection ended in the middle. */
    HUNG_UP(6, "the connection ended in the middle"),
    /** A proof of knowledge did not match: another machine is in between, or the numbers are made up. */
    PROOF(7, "its proof does not belong to this connection"),
    /** A machine met itself. */
    ITSELF(8, "it is this machine itself"),
    /** The other side could not do its part on its own machine. */
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

    /** For people, as the end of a sentence. */
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
