package io.hearth.identity.pairing.machine;

/**
 * One side of one password-authenticated key exchange. Both sides compute the same key if and only if they have the same secret and the
 * same two names. A listener, and a side with a wrong guess, learn nothing. A computation without I/O; its random numbers come from the
 * {@link Factory}. The caller calls each method once, in this order.
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

    /** The first message of this side. */
    PairingMessage.Round1 round1();

    /**
     * Takes the first message of the other side.
     *
     * @throws PakeException if the numbers are out of range, or a proof does not match the other side's name
     */
    void accept(PairingMessage.Round1 theirs) throws PakeException;

    /** The second message of this side. */
    PairingMessage.Round2 round2();

    /**
     * Takes the second message of the other side and computes the key.
     *
     * @return the key, which the caller wipes
     * @throws PakeException as above
     */
    byte[] accept(PairingMessage.Round2 theirs) throws PakeException;
}
