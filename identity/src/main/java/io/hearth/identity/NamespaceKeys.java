package io.hearth.identity;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys derived from a namespace's secret, one for each use (HKDF-SHA256, RFC 5869).
 *
 * <pre>
 * PRK = Extract(salt = SHA-256("hearth/1 namespace" 0 name 0 generation as 4 bytes), secret)
 * tag, proof, data = Expand(PRK, "hearth/1 tag" | "hearth/1 proof" | "hearth/1 data", 32)
 * id = Expand(PRK, "hearth/1 id", 8)
 * </pre>
 *
 * <p>Only {@link #id()} may be shown or sent: it identifies the secret and reveals nothing about it.
 */
public final class NamespaceKeys implements AutoCloseable {
    private static final int KEY_BYTES = 32;
    private static final int ID_BYTES = 8;

    private final byte[] tag;
    private final byte[] proof;
    private final byte[] data;
    private final byte[] id;
    private final boolean isOpen;

    private NamespaceKeys(byte[] tag, byte[] proof, byte[] data, byte[] id, boolean isOpen) {
        this.tag = tag;
        this.proof = proof;
        this.data = data;
        this.id = id;
        this.isOpen = isOpen;
    }

    /**
     * @param name the namespace's name
     * @param generation of the secret, rising by one with each re-keying
     * @param secret 32 bytes; borrowed
     */
    static NamespaceKeys derive(String name, int generation, byte[] secret) {
        try {
            var salt = MessageDigest.getInstance("SHA-256");
            salt.update("hearth/1 namespace".getBytes(StandardCharsets.US_ASCII));
            salt.update((byte) 0);
            salt.update(name.getBytes(StandardCharsets.US_ASCII));
            salt.update((byte) 0);
            salt.update(new byte[] {
                (byte) (generation >>> 24), (byte) (generation >>> 16), (byte) (generation >>> 8), (byte) generation
            });
            byte[] prk = extract(salt.digest(), secret);
            try {
                return new NamespaceKeys(
                        expand(prk, ascii("hearth/1 tag"), KEY_BYTES),
                        expand(prk, ascii("hearth/1 proof"), KEY_BYTES),
                        expand(prk, ascii("hearth/1 data"), KEY_BYTES),
                        expand(prk, ascii("hearth/1 id"), ID_BYTES),
                        generation == NetworkNamespace.OPEN_GENERATION);
            } finally {
                Arrays.fill(prk, (byte) 0);
            }
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has SHA-256 and HKDF", missing);
        }
    }

    /** Whether they come from the published key of open namespaces, so that any machine can derive them. */
    public boolean isOpen() {
        return isOpen;
    }

    /** HKDF-Extract with SHA-256: 32 bytes. */
    public static byte[] extract(byte[] salt, byte[] material) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(HKDFParameterSpec.ofExtract()
                            .addSalt(salt)
                            .addIKM(material)
                            .extractOnly());
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has HKDF-SHA256", missing);
        }
    }

    /** HKDF-Expand with SHA-256: {@code bytes} of key material, at most 8160. */
    public static byte[] expand(byte[] prk, byte[] info, int bytes) {
        try {
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(HKDFParameterSpec.expandOnly(new SecretKeySpec(prk, "HKDF"), info, bytes));
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has HKDF-SHA256", missing);
        }
    }

    /** HMAC-SHA256 under the key that makes mDNS tags. */
    public byte[] tagMac(byte[]... parts) {
        return hmac(tag, parts);
    }

    /** HMAC-SHA256 under the key that proves membership on a link. */
    public byte[] proofMac(byte[]... parts) {
        return hmac(proof, parts);
    }

    /** The key of a link's data streams: Extract(salt = {@code exporter}, data key). */
    public byte[] linkKey(byte[] exporter) {
        return extract(exporter, data);
    }

    /** The key id, 8 bytes: public. */
    public byte[] id() {
        return id.clone();
    }

    /** Overwrites the keys; a proof made afterwards is worthless. */
    @Override
    public void close() {
        Arrays.fill(tag, (byte) 0);
        Arrays.fill(proof, (byte) 0);
        Arrays.fill(data, (byte) 0);
    }

    @Override
    public String toString() {
        return "NamespaceKeys[redacted]";
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has HmacSHA256", missing);
        }
    }

    private static byte[] ascii(String label) {
        return label.getBytes(StandardCharsets.US_ASCII);
    }
}
