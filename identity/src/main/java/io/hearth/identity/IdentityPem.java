package io.hearth.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of the key file: the certificate and the PKCS#8 private key in PEM (RFC 7468, RFC 8410), which other tools read too, below three
 * comment lines.
 *
 * <pre>
 * # The private key of this machine in Hearth. Never copy it to another machine, never show it.
 * # peer: 12D3KooW…
 * # machine: 64 hexadecimal digits, or "unknown"
 * -----BEGIN CERTIFICATE-----
 * …
 * -----END CERTIFICATE-----
 * -----BEGIN PRIVATE KEY-----
 * …
 * -----END PRIVATE KEY-----
 * </pre>
 *
 * <p>The file keeps the certificate, because making one needs a library that is slow to load; if it is missing, it is made again. It comes
 * first, so that no part of the file is a complete file. The peer id and the certificate's own signature detect damage that leaves
 * well-formed base64. The machine is SHA-256("hearth/1 machine" 0 machine id 0 public key): the same machine gives the same hash, which
 * does not reveal the id.
 *
 * @param identity the key
 * @param machine the hash of the machine that the key was made on, if that machine had an id
 */
record IdentityPem(NodeIdentity identity, Optional<String> machine) {
    private static final String UNKNOWN = "unknown";
    private static final int SIGNATURE_BYTES = 64; // Ed25519, RFC 8032
    private static final Pattern TEXT = Pattern.compile("""
            # [^\\n]{0,200}
            # peer: (\\w{52})
            # machine: ([0-9a-f]{64}|unknown)
            (?:-----BEGIN CERTIFICATE-----
            ([A-Za-z0-9+/=\\n]{1,800})
            -----END CERTIFICATE-----
            )?-----BEGIN PRIVATE KEY-----
            ([A-Za-z0-9+/=\\n]{1,200})
            -----END PRIVATE KEY-----
            """);

    /** A key with the machine on which it was made. */
    static IdentityPem of(NodeIdentity identity, Optional<String> machineId) {
        return new IdentityPem(identity, machineId.map(id -> hash(id, identity)));
    }

    /** @throws IllegalArgumentException unless {@link #encode()} made {@code text}; the message repeats none of it */
    static IdentityPem decode(String text) {
        Matcher parts = TEXT.matcher(text.replace("\r\n", "\n"));
        if (!parts.matches()) {
            throw new IllegalArgumentException("it is incomplete or edited");
        }
        NodeIdentity identity;
        try {
            byte[] pkcs8 = base64(parts.group(4));
            String certificate = parts.group(3);
            identity = certificate == null
                    ? NodeIdentity.ofPkcs8(pkcs8)
                    : NodeIdentity.ofPkcs8(pkcs8, wholeBits(base64(certificate)));
        } catch (IllegalArgumentException broken) {
            throw new IllegalArgumentException(
                    "its key is not an Ed25519 key in PKCS#8, or its certificate is another's");
        }
        if (!identity.peer().text().equals(parts.group(1))) {
            throw new IllegalArgumentException("its key does not match its peer id");
        }
        String machine = parts.group(2);
        return new IdentityPem(identity, machine.equals(UNKNOWN) ? Optional.empty() : Optional.of(machine));
    }

    String encode() {
        try {
            return """
                # The private key of this machine in Hearth. Never copy it to another machine, never show it.
                # peer: %s
                # machine: %s
                -----BEGIN CERTIFICATE-----
                %s
                -----END CERTIFICATE-----
                -----BEGIN PRIVATE KEY-----
                %s
                -----END PRIVATE KEY-----
                """.formatted(
                            identity.peer().text(),
                            machine.orElse(UNKNOWN),
                            text(identity.certificate().getEncoded()),
                            text(identity.privateKey().getEncoded()));
        } catch (CertificateEncodingException bug) {
            throw new AssertionError("an identity's certificate came from its encoding", bug);
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    }

    /** Decodes only what {@link #text} made; the JDK's decoder alone would accept more. */
    private static byte[] base64(String text) {
        byte[] bytes = Base64.getMimeDecoder().decode(text);
        if (!text(bytes).replace("\n", "").equals(text.replace("\n", ""))) {
            throw new IllegalArgumentException("not base64");
        }
        return bytes;
    }

    /**
     * Checks that the last 64 bytes of a certificate are its whole signature. The JDK ignores the number of unused bits before them (X.690,
     * 8.6.2.2), which no signature covers.
     */
    private static byte[] wholeBits(byte[] certificate) {
        int unusedBits = certificate.length - SIGNATURE_BYTES - 1;
        if (unusedBits < 0 || certificate[unusedBits] != 0) {
            throw new IllegalArgumentException("not a certificate with an Ed25519 signature");
        }
        return certificate;
    }

    /** False only if the key was certainly made on a machine with another id. */
    boolean belongsTo(Optional<String> machineId) {
        return machine.isEmpty() || machineId.isEmpty() || machine.get().equals(hash(machineId.get(), identity));
    }

    private static String hash(String machineId, NodeIdentity identity) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update("hearth/1 machine\0".getBytes(StandardCharsets.US_ASCII));
            digest.update(machineId.getBytes(StandardCharsets.US_ASCII));
            digest.update((byte) 0);
            digest.update(identity.peer().publicKey());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError("every JDK 25 has SHA-256", missing);
        }
    }
}
