package io.hearth.identity;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes the certificate that carries an identity's key through TLS; no name, no dates that anybody checks. */
final class SelfSigned {
    private static final X500Name NAME = new X500Name("CN=hearth");
    /** RFC 5280 section 4.1.2.5: "no well-defined expiration date". */
    private static final Instant NO_END = Instant.parse("9999-12-31T23:59:59Z");

    private SelfSigned() {}

    static X509Certificate certificate(KeyPair pair) {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    NAME,
                    new BigInteger(63, new SecureRandom()).add(BigInteger.ONE),
                    Date.from(Instant.EPOCH),
                    Date.from(NO_END),
                    NAME,
                    pair.getPublic());
            var signer = new JcaContentSignerBuilder("Ed25519").build(pair.getPrivate());
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (OperatorCreationException | GeneralSecurityException bug) {
            throw new AssertionError("an Ed25519 key pair signs its own certificate", bug);
        }
    }
}
