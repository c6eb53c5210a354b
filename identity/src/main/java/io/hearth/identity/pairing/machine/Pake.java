package io.hearth.identity.pairing.machine;

/**
 * One side of one password-authenticated key exchange: both sides come to the same key exactly if they were given the same secret and
 * the same two names, and who listens or guesses wrong learns nothing. A computation without I/O; its random numbers come from whoever
 * made the {@link Factory}. Each method is called once, in this order.
 */
public interface Pake {
    /** Begins exchanges. */
    @FunctionalInterface
    interface Factory {
        /**
         * Begins one side of an exchange.
         *
         * @param own name of this side
         * @param theirs name of the other side, which no message carries: each side computes both
         * @param secret digits
         */
        Pake begin(String own, String theirs, String secret);
    }

    /** What this side says first. */
    PairingMessage.Round1 round1();

    /**
     * Takes what the other side said first.
     *
     * @throws PakeException the numbers are out of range, or a proof does not match the other side's name
     */
    void accept(PairingMessage.Round1 theirs) throws PakeException;

    /** What this side says next. */
    PairingMessage.Round2 round2();

    /**
     * Comes to the key.
     *
     * @return given away; the caller wipes it
     * @throws PakeException as above
     */
    byte[] accept(PairingMessage.Round2 theirs) throws PakeException;
}
