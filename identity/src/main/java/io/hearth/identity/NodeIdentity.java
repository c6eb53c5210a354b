package io.hearth.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;

/**
 * A machine's Ed25519 key pair with the self-signed certificate that its links present.
 *
 * <p>Only the key in the certificate counts: peers check the key and ignore names and dates.
 */
public final class NodeIdentity {
    /** Bytes of an Ed25519 SubjectPublicKeyInfo before the raw key (RFC 8410). */
    private static final int SPKI_PREFIX_BYTES = 12;

    private final PeerId peer;
    private final PrivateKey privateKey;
    private final X509Certificate certificate;

    private NodeIdentity(PeerId peer, PrivateKey privateKey, X509Certificate certificate) {
        this.peer = peer;
        this.privateKey = privateKey;
        this.certificate = certificate;
    }

    /** A new identity that lives in memory only. */
    public static NodeIdentity generate() {
        try {
            return of(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has Ed25519", missing);
        }
    }

    /**
     * The identity of a stored private key; its public key is computed (RFC 8032 section 5.1.5).
     *
     * @throws IllegalArgumentException if {@code pkcs8} is not an Ed25519 private key in PKCS#8
     */
    static NodeIdentity ofPkcs8(byte[] pkcs8) {
        try {
            var keys = KeyFactory.getInstance("Ed25519");
            if (!(keys.generatePrivate(new PKCS8EncodedKeySpec(pkcs8)) instanceof EdECPrivateKey privateKey)) {
                throw new IllegalArgumentException("not an Ed25519 private key");
            }
            byte[] seed = privateKey.getBytes().orElseThrow(IllegalArgumentException::new);
            byte[] raw =
                    new Ed25519PrivateKeyParameters(seed).generatePublicKey().getEncoded();
            byte[] spki = new SubjectPublicKeyInfo(SelfSigned.ED25519, raw).getEncoded();
            return of(new KeyPair(keys.generatePublic(new X509EncodedKeySpec(spki)), privateKey));
        } catch (GeneralSecurityException | IOException broken) {
            throw new IllegalArgumentException("not an Ed25519 private key in PKCS#8", broken);
        }
    }

    /**
     * The identity of a stored private key and its certificate.
     *
     * @throws IllegalArgumentException if they are not an Ed25519 private key in PKCS#8 and its valid self-signed certificate
     */
    static NodeIdentity ofPkcs8(byte[] pkcs8, byte[] certificate) {
        try {
            PrivateKey privateKey = KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            var stored = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate));
            PublicKey publicKey = stored.getPublicKey();
            stored.verify(publicKey);
            if (!isSigner(privateKey, stored) || !Arrays.equals(stored.getEncoded(), certificate)) {
                throw new IllegalArgumentException("the certificate is not that of the key");
            }
            return new NodeIdentity(peer(publicKey), privateKey, stored);
        } catch (GeneralSecurityException broken) {
            throw new IllegalArgumentException("not an Ed25519 private key and its certificate", broken);
        }
    }

    static NodeIdentity of(KeyPair pair) {
        return new NodeIdentity(peer(pair.getPublic()), pair.getPrivate(), SelfSigned.certificate(pair));
    }

    private static PeerId peer(PublicKey key) {
        byte[] spki = key.getEncoded();
        return PeerId.of(Arrays.copyOfRange(spki, SPKI_PREFIX_BYTES, spki.length));
    }

    /** Whether that key signed the certificate. A key makes one signature of a text only (RFC 8032, section 5.1.6), so it can be compared. */
    private static boolean isSigner(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        var signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(certificate.getTBSCertificate());
        return Arrays.equals(signature.sign(), certificate.getSignature());
    }

    /** The public key, by which others know this machine. */
    public PeerId peer() {
        return peer;
    }

    /** For the TLS engine only; never leaves the process. */
    public PrivateKey privateKey() {
        return privateKey;
    }

    /** Self-signed, Ed25519, without a meaningful name. */
    public X509Certificate certificate() {
        return certificate;
    }

    @Override
    public String toString() {
        return "NodeIdentity[" + peer.shortText() + "]";
    }
}
