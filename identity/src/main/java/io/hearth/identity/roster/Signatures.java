package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;

/** Checks who signed what; a port, so that simulated worlds need no cryptography. */
@FunctionalInterface
public interface Signatures {
    /** Bytes of every signature. */
    int BYTES = 64;

    /** Whether {@code signer} signed {@code words}; never throws, whatever the bytes are. */
    boolean verify(PeerId signer, byte[] words, Bytes signature);

    /** One machine's own hand. */
    interface Hand {
        /** The machine whose key signs. */
        PeerId peer();

        /** {@value Signatures#BYTES} bytes. */
        Bytes sign(byte[] words);
    }
}
