package io.hearth.serve.grpc;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tells at the start what else each handshake would fail by: a certificate that is not valid today, or the key of another one. */
final class KeyCheck {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]*)-----END PRIVATE KEY-----");
    private static final Map<String, String> SCHEMES = Map.of("EC", "SHA256withECDSA", "RSA", "SHA256withRSA");
    private static final byte[] SAMPLE = "hearth".getBytes(StandardCharsets.US_ASCII);

    private KeyCheck() {}

    /**
     * Checks a certificate and its key.
     *
     * @throws SetupException with what is wrong
     * @throws GeneralSecurityException if they cannot be read as such
     */
    static void check(TlsFiles.Own own) throws SetupException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(own.certificate())) {
            var first =
                    (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
            first.checkValidity();
            if (!fits(first.getPublicKey(), Files.readString(own.key()))) {
                throw new SetupException("the key " + own.key() + " is not that of the certificate " + own.certificate()
                        + ": give the two that were made together");
            }
        } catch (CertificateExpiredException | CertificateNotYetValidException date) {
            throw new SetupException(
                    "the certificate " + own.certificate() + " is not valid today (" + date.getMessage()
                            + "): renew it, or set this machine's clock",
                    date);
        } catch (IOException unreadable) {
            throw new SetupException("the TLS files cannot be read: " + unreadable.getMessage(), unreadable);
        }
    }

    private static boolean fits(PublicKey certified, String pem) throws GeneralSecurityException {
        Matcher block = KEY.matcher(pem);
        if (!block.find()) {
            return true; // of a form that Netty's reader judges
        }
        String algorithm = certified.getAlgorithm();
        String scheme = SCHEMES.get(algorithm);
        if (scheme == null) {
            return true; // the handshake judges
        }
        PrivateKey secret;
        try {
            secret = KeyFactory.getInstance(algorithm)
                    .generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(block.group(1))));
        } catch (InvalidKeySpecException ofAnotherKind) {
            return false;
        }
        Signature signing = Signature.getInstance(scheme);
        signing.initSign(secret);
        signing.update(SAMPLE);
        byte[] signature = signing.sign();
        Signature verifying = Signature.getInstance(scheme);
        verifying.initVerify(certified);
        verifying.update(SAMPLE);
        return verifying.verify(signature);
    }
}
