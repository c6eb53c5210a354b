package io.hearth.simulation.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Signatures;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Signatures that are a digest of key and text. A simulated machine forges one only on purpose. */
final class DigestSignatures implements Signatures {
    private DigestSignatures() {}

    static final DigestSignatures HONEST = new DigestSignatures();

    static PeerId peer(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (37 * number);
        key[1] = (byte) number;
        return PeerId.of(key);
    }

    static Hand hand(PeerId peer) {
        return new Hand() {
            @Override
            public PeerId peer() {
                return peer;
            }

            @Override
            public Bytes sign(byte[] words) {
                return digest(peer, words);
            }
        };
    }

    @Override
    public boolean verify(PeerId signer, byte[] words, Bytes signature) {
        return digest(signer, words).equals(signature);
    }

    private static Bytes digest(PeerId peer, byte[] words) {
        try {
            var digest = MessageDigest.getInstance("SHA-512");
            digest.update(peer.publicKey());
            return Bytes.of(digest.digest(words));
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-512", missing);
        }
    }
}
