package io.hearth.identity;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x509.TBSCertificate;
import org.bouncycastle.asn1.x509.Time;
import org.bouncycastle.asn1.x509.V3TBSCertificateGenerator;

/** Makes the certificate that carries an identity's key through TLS; peers check neither its name nor its dates. */
final class SelfSigned {
    private static final X500Name NAME = new X500Name("CN=hearth");
    /** The algorithm of keys and signatures; RFC 8410, section 3. */
    static final AlgorithmIdentifier ED25519 = new AlgorithmIdentifier(new ASN1ObjectIdentifier("1.3.101.112"));
    /** RFC 5280 section 4.1.2.5: "no well-defined expiration date". */
    private static final Instant NO_END = Instant.parse("9999-12-31T23:59:59Z");

    private SelfSigned() {}

    static X509Certificate certificate(KeyPair pair) {
        try {
            TBSCertificate words = words(pair);
            Signature signer = Signature.getInstance("Ed25519");
            signer.initSign(pair.getPrivate());
            signer.update(words.getEncoded(ASN1Encoding.DER));
            var signed = new DERSequence(new ASN1Encodable[] {words, ED25519, new DERBitString(signer.sign())});
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(signed.getEncoded(ASN1Encoding.DER)));
        } catch (IOException | GeneralSecurityException bug) {
            throw new AssertionError("an Ed25519 key pair signs its own certificate", bug);
        }
    }

    private static TBSCertificate words(KeyPair pair) {
        var words = new V3TBSCertificateGenerator();
        words.setSerialNumber(new ASN1Integer(new BigInteger(63, new SecureRandom()).add(BigInteger.ONE)));
        words.setSignature(ED25519);
        words.setIssuer(NAME);
        words.setStartDate(new Time(Date.from(Instant.EPOCH)));
        words.setEndDate(new Time(Date.from(NO_END)));
        words.setSubject(NAME);
        words.setSubjectPublicKeyInfo(
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()));
        return words.generateTBSCertificate();
    }
}
