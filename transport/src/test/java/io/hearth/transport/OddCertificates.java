package io.hearth.transport;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Self-signed certificates that no Hearth node has. */
final class OddCertificates {
    private OddCertificates() {}

    record Odd(PrivateKey key, X509Certificate certificate) {}

    /** One with a key of that algorithm, and an extension of {@code ballastBytes}. */
    static Odd of(String algorithm, int ballastBytes) throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        String signature = switch (algorithm) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> algorithm;
        };
        var name = new X500Name("CN=odd");
        var builder = new JcaX509v3CertificateBuilder(
                name,
                BigInteger.ONE,
                Date.from(Instant.EPOCH),
                Date.from(Instant.parse("9999-12-31T23:59:59Z")),
                name,
                pair.getPublic());
        if (ballastBytes > 0) {
            builder.addExtension(
                    new ASN1ObjectIdentifier("1.3.6.1.4.1.55555.1"), false, new DEROctetString(new byte[ballastBytes]));
        }
        return new Odd(
                pair.getPrivate(),
                new JcaX509CertificateConverter()
                        .getCertificate(
                                builder.build(new JcaContentSignerBuilder(signature).build(pair.getPrivate()))));
    }
}
