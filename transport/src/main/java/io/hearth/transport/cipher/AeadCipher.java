package io.hearth.transport.cipher;

import io.hearth.transport.RecordHeader;
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
 * Encrypts records with a 256-bit AEAD, the header as associated data, the number of the record as nonce. The only class that touches
 * {@link Cipher}.
 *
 * <pre>
 * record = header (24, authenticated) | ciphertext (length) | tag (16)
 * nonce  = 0 (4 bytes) | number of the record from 0 (8 bytes, big-endian)
 * </pre>
 *
 * <p>Both sides count records and send no number: a record that was dropped, repeated or moved does not open. After {@code recordsPerKey}
 * records the next key replaces the key.
 *
 * <p>Works on arrays, because the JDK's fast AES path takes no buffers. Sealing is in place, for which the JDK makes no copy. Opening
 * writes to a second array, because in place the JDK would copy.
 */
public final class AeadCipher implements RecordCipher {
    private static final int NONCE_BYTES = 12;
    private static final VarHandle COUNTER = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private final Suite suite;
    private final long recordsPerKey;
    private final byte[] key;
    private final byte[] nonce = new byte[NONCE_BYTES]; // the JDK's parameter specifications copy it
    private @Nullable Cipher cipher;
    private SecretKeySpec keySpec;
    private long records;

    /**
     * @param key 32 bytes, owned by the cipher from now on
     * @param recordsPerKey records that one key seals, at least 1
     */
    public AeadCipher(Suite suite, byte[] key, long recordsPerKey) {
        this.suite = suite;
        this.key = key;
        this.recordsPerKey = recordsPerKey;
        keySpec = new SecretKeySpec(key, suite.algorithm());
        try {
            cipher = Cipher.getInstance(suite.transformation());
        } catch (GeneralSecurityException missing) {
            throw new AssertionError("every JDK 25 has " + suite, missing);
        }
    }

    @Override
    public int seal(byte[] record, int length) {
        try {
            Cipher next = next(Cipher.ENCRYPT_MODE);
            next.updateAAD(record, 0, RecordHeader.BYTES);
            return RecordHeader.BYTES + next.doFinal(record, RecordHeader.BYTES, length, record, RecordHeader.BYTES);
        } catch (GeneralSecurityException bug) {
            throw new AssertionError("sealing " + length + " bytes into " + record.length, bug);
        }
    }

    @Override
    public void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException {
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

    @Override
    public void destroy() {
        Arrays.fill(key, (byte) 0);
        keySpec = new SecretKeySpec(key, suite.algorithm());
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
            keySpec = new SecretKeySpec(key, suite.algorithm());
        }
        COUNTER.set(nonce, Integer.BYTES, records);
        records++;
        current.init(mode, keySpec, parameters());
        return current;
    }

    private AlgorithmParameterSpec parameters() {
        return switch (suite) {
            case AES_256_GCM -> new GCMParameterSpec(TAG_BYTES * 8, nonce);
            case CHACHA20_POLY1305 -> new IvParameterSpec(nonce);
        };
    }

    @Override
    public String toString() {
        return "AeadCipher[" + suite + ", redacted]";
    }
}
