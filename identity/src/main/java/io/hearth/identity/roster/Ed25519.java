package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;

/** The JDK's Ed25519 (RFC 8032). */
public final class Ed25519 implements Signatures {
    /** The one instance; without state. */
    public static final Ed25519 INSTANCE = new Ed25519();

    /** Ed25519 SubjectPublicKeyInfo before the raw key (RFC 8410). */
    private static final byte[] SPKI_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private Ed25519() {}

    /** Signs with the key of this machine. */
    public static Hand hand(NodeIdentity identity) {
        return new Hand() {
            @Override
            public PeerId peer() {
                return identity.peer();
            }

            @Override
            public Bytes sign(byte[] words) {
                try {
                    var signature = Signature.getInstance("Ed25519");
                    signature.initSign(identity.privateKey());
                    signature.update(words);
                    return Bytes.of(signature.sign());
                } catch (GeneralSecurityException missing) {
                    throw new AssertionError("every JDK 25 has Ed25519", missing);
                }
            }
        };
    }

    @Override
    public boolean verify(PeerId signer, byte[] words, Bytes given) {
        if (given.size() != BYTES) {
            return false;
        }
        try {
            byte[] spki = new byte[SPKI_PREFIX.length + PeerId.KEY_BYTES];
            System.arraycopy(SPKI_PREFIX, 0, spki, 0, SPKI_PREFIX.length);
            System.arraycopy(signer.publicKey(), 0, spki, SPKI_PREFIX.length, PeerId.KEY_BYTES);
            var signature = Signature.getInstance("Ed25519");
            signature.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(spki)));
            signature.update(words);
            return signature.verify(given.toArray());
        } catch (GeneralSecurityException notAPoint) {
            return false;
        }
    }
}
