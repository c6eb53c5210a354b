package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.MembershipProof;
import io.hearth.identity.NamespaceKeys;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys derived from the key of one run (HKDF-SHA256). J is the joining machine, S the sponsor.
 *
 * <pre>
 * PRK = Extract(salt = context, key of the key exchange)
 * Kj, Ks, Kl, Kw = Expand(PRK, "hearth/1 pair joiner" | "… sponsor" | "… label" | "… welcome", 32)
 * J's confirmation = HMAC(Kj, context)      S's confirmation = HMAC(Ks, context)
 * J's label and S's welcome: AES-256-GCM under Kl and Kw, the context as additional data
 * </pre>
 *
 * <p>Kl and Kw seal one text each and are then discarded, so the nonce is zero.
 */
final class PairingKeys {
    /** Bytes that sealing adds. */
    static final int SEAL_BYTES = 16;

    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;

    private final Bytes context;
    private final byte[] joiner;
    private final byte[] sponsor;
    private final byte[] label;
    private final byte[] welcome;

    private PairingKeys(Bytes context, byte[] prk) {
        this.context = context;
        joiner = expand(prk, "joiner");
        sponsor = expand(prk, "sponsor");
        label = expand(prk, "label");
        welcome = expand(prk, "welcome");
    }

    /** @param key of the key exchange; wiped */
    static PairingKeys of(byte[] key, Transcript transcript) {
        Bytes context = transcript.context();
        byte[] prk = NamespaceKeys.extract(context.toArray(), key);
        Arrays.fill(key, (byte) 0);
        var keys = new PairingKeys(context, prk);
        Arrays.fill(prk, (byte) 0);
        return keys;
    }

    /** The confirmation that J sends to S. */
    Bytes joinerMac() {
        return mac(joiner);
    }

    /** The confirmation that S sends to J. */
    Bytes sponsorMac() {
        return mac(sponsor);
    }

    /** Whether a confirmation is the expected one; compares in constant time. */
    static boolean matches(Bytes expected, Bytes given) {
        return MembershipProof.matches(expected.toArray(), given.toArray());
    }

    Bytes sealLabel(byte[] text) {
        return seal(label, text);
    }

    Optional<byte[]> openLabel(Bytes sealed) {
        return open(label, sealed.toArray());
    }

    /** @param text borrowed */
    Bytes sealWelcome(byte[] text) {
        return seal(welcome, text);
    }

    Optional<byte[]> openWelcome(byte[] sealed) {
        return open(welcome, sealed);
    }

    /** Overwrites the keys. */
    void destroy() {
        for (byte[] key : new byte[][] {joiner, sponsor, label, welcome}) {
            Arrays.fill(key, (byte) 0);
        }
    }

    @Override
    public String toString() {
        return "PairingKeys[redacted]";
    }

    private Bytes mac(byte[] key) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Bytes.of(mac.doFinal(context.toArray()));
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has HmacSHA256", missing);
        }
    }

    private Bytes seal(byte[] key, byte[] text) {
        try {
            return Bytes.of(cipher(Cipher.ENCRYPT_MODE, key).doFinal(text));
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has AES-256-GCM", missing);
        }
    }

    private Optional<byte[]> open(byte[] key, byte[] sealed) {
        try {
            return sealed.length < SEAL_BYTES
                    ? Optional.empty()
                    : Optional.of(cipher(Cipher.DECRYPT_MODE, key).doFinal(sealed));
        } catch (AEADBadTagException forged) {
            return Optional.empty();
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has AES-256-GCM", missing);
        }
    }

    private Cipher cipher(int mode, byte[] key) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                mode,
                new SecretKeySpec(key, "AES"),
                new GCMParameterSpec(SEAL_BYTES * Byte.SIZE, new byte[NONCE_BYTES]));
        cipher.updateAAD(context.toArray());
        return cipher;
    }

    private static byte[] expand(byte[] prk, String use) {
        return NamespaceKeys.expand(prk, Transcript.ascii("hearth/1 pair " + use), KEY_BYTES);
    }
}
