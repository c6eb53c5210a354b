package io.hearth.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Seals or opens the records of one direction of one data stream: 256-bit AEAD, the header as associated data, the number of
 * the record as nonce. The only class that touches {@link Cipher}.
 *
 * <pre>
 * record = header (24, authenticated) | ciphertext (length) | tag (16)
 * nonce  = 0 (4 bytes) | number of the record from 0 (8 bytes, big-endian)
 * </pre>
 *
 * <p>Both sides count, nothing is sent: a record that was dropped, repeated or moved does not open. Every {@code
 * recordsPerKey} records the key is replaced by the next. One thread at a time.
 *
 * <p>Works on arrays: the JDK's fast AES path takes no buffers. Sealing is in place (the JDK makes no copy for that), opening
 * goes into a second array (in place it would).
 */
final class RecordCipher {
    /** Bytes of the tag behind the ciphertext. */
    static final int TAG_BYTES = 16;

    private static final int NONCE_BYTES = 12;
    private static final VarHandle COUNTER = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The two AEADs that TLS 1.3 has for 256-bit keys. */
    enum Suite {
        AES_256_GCM("AES/GCM/NoPadding", "AES"),
        CHACHA20_POLY1305("ChaCha20-Poly1305", "ChaCha20");

        private final String transformation;
        private final String algorithm;

        Suite(String transformation, String algorithm) {
            this.transformation = transformation;
            this.algorithm = algorithm;
        }

        private AlgorithmParameterSpec nonce(byte[] nonce) {
            return this == AES_256_GCM ? new GCMParameterSpec(TAG_BYTES * 8, nonce) : new IvParameterSpec(nonce);
        }
    }

    /** Makes ciphers; a seam, so that tests can count them and see their keys. */
    @FunctionalInterface
    interface Factory {
        RecordCipher create(Suite suite, byte[] key, long recordsPerKey);
    }

    private final Suite suite;
    private final long recordsPerKey;
    private final byte[] key;
    private final byte[] nonce = new byte[NONCE_BYTES]; // the specifications of the JDK copy it
    private @Nullable Cipher cipher;
    private SecretKeySpec keySpec;
    private long records;

    /**
     * @param key 32 bytes, given away
     * @param recordsPerKey how many records one key seals, at least 1
     */
    RecordCipher(Suite suite, byte[] key, long recordsPerKey) {
        this.suite = suite;
        this.key = key;
        this.recordsPerKey = recordsPerKey;
        keySpec = new SecretKeySpec(key, suite.algorithm);
        try {
            cipher = Cipher.getInstance(suite.transformation);
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has " + suite, missing);
        }
    }

    /**
     * Seals one record in place.
     *
     * @param record header, {@code length} bytes of plaintext, room for the tag
     * @return size of the sealed record
     */
    int seal(byte[] record, int length) {
        try {
            Cipher next = next(Cipher.ENCRYPT_MODE);
            next.updateAAD(record, 0, RecordHeader.BYTES);
            return RecordHeader.BYTES + next.doFinal(record, RecordHeader.BYTES, length, record, RecordHeader.BYTES);
        } catch (GeneralSecurityException bug) {
            throw new AssertionError("sealing " + length + " bytes into " + record.length, bug);
        }
    }

    /**
     * Opens one record.
     *
     * @param record as it was on the wire, {@code length} bytes of ciphertext behind the header, then the tag
     * @param plaintext receives {@code length} bytes, which mean nothing if this throws
     * @throws AEADBadTagException it is not the record that the peer sealed at this place of the stream
     */
    void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException {
        try {
            Cipher next = next(Cipher.DECRYPT_MODE);
            next.updateAAD(record, 0, RecordHeader.BYTES);
            next.doFinal(record, RecordHeader.BYTES, length + TAG_BYTES, plaintext, 0);
        } catch (AEADBadTagException forged) {
            throw forged;
        } catch (GeneralSecurityException bug) {
            throw new AssertionError("opening " + length + " bytes of " + record.length, bug);
        }
    }

    /** Drops the key; every later use fails. */
    void destroy() {
        Arrays.fill(key, (byte) 0);
        keySpec = new SecretKeySpec(key, suite.algorithm);
        cipher = null;
    }

    private Cipher next(int mode) throws GeneralSecurityException {
        Cipher current = cipher;
        if (current == null) {
            throw new IllegalStateException("the key of this stream was dropped");
        }
        if (records > 0 && records % recordsPerKey == 0) {
            byte[] following = StreamKeys.next(key);
            System.arraycopy(following, 0, key, 0, key.length);
            Arrays.fill(following, (byte) 0);
            keySpec = new SecretKeySpec(key, suite.algorithm);
        }
        COUNTER.set(nonce, Integer.BYTES, records);
        records++;
        current.init(mode, keySpec, suite.nonce(nonce));
        return current;
    }

    @Override
    public String toString() {
        return "RecordCipher[" + suite + ", redacted]";
    }
}
