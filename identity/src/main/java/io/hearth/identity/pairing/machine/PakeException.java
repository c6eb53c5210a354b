package io.hearth.identity.pairing.machine;

/** The other side of a key exchange sent numbers that no honest side sends; the run is over. */
public final class PakeException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * A fault of the other side.
     *
     * @param why one line, without any of the numbers
     */
    public PakeException(String why) {
        super(why);
    }

    /** As above. */
    public PakeException(String why, Exception cause) {
        super(why, cause);
    }
}
