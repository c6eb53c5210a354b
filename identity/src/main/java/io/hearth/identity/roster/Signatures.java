package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;

/** Verifies signatures; a port, so that simulations need no cryptography. */
@FunctionalInterface
public interface Signatures {
    /** Bytes of a signature. */
    int BYTES = 64;

    /** Whether {@code signer} signed {@code words}; never throws, for any bytes. */
    boolean verify(PeerId signer, byte[] words, Bytes signature);

    /** The signing key of one machine. */
    interface Hand {
        /** The machine whose key signs. */
        PeerId peer();

        /** A signature of {@value Signatures#BYTES} bytes. */
        Bytes sign(byte[] words);
    }
}
