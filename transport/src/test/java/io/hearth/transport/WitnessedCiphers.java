package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Real ciphers whose sealed records are opened again with the JDK's own AES-GCM, each with the key that the stream was given and the number
 * of the record. So the key and nonce of each sealed record are verified. For streams that end before the first change of their key.
 */
public final class WitnessedCiphers implements RecordCipher.Factory {
    private static final int NONCE_BYTES = 12;

    private final Set<Bytes> pairs = ConcurrentHashMap.newKeySet();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong unexplained = new AtomicLong();

    /** Different pairs of a key and a nonce that sealed a record. */
    int pairs() {
        return pairs.size();
    }

    /** All records that were sealed. */
    long records() {
        return records.get();
    }

    /** Records that the expected key and nonce do not open. */
    long unexplained() {
        return unexplained.get();
    }

    /** Whether {@code record}, header and all, opens under that key and the nonce of that number. */
    public static boolean opens(byte[] key, long number, byte[] record) {
        try {
            Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    new SecretKeySpec(key, "AES"),
                    new GCMParameterSpec(RecordCipher.TAG_BYTES * 8, nonce(number)));
            cipher.updateAAD(record, 0, RecordHeader.BYTES);
            cipher.doFinal(record, RecordHeader.BYTES, record.length - RecordHeader.BYTES);
            return true;
        } catch (AEADBadTagException other) {
            return false;
        } catch (GeneralSecurityException missing) {
            throw new AssertionError(missing);
        }
    }

    private static byte[] nonce(long number) {
        return ByteBuffer.allocate(NONCE_BYTES).putInt(0).putLong(number).array();
    }

    @Override
    public RecordCipher create(RecordCipher.Suite suite, byte[] key, long recordsPerKey) {
        byte[] copy = key.clone();
        return new Witness(new AeadCipher(suite, key, recordsPerKey), copy);
    }

    private final class Witness implements RecordCipher {
        private final RecordCipher real;
        private final byte[] key;
        private long number;

        Witness(RecordCipher real, byte[] key) {
            this.real = real;
            this.key = key;
        }

        @Override
        public int seal(byte[] record, int length) {
            int size = real.seal(record, length);
            byte[] sealed = Arrays.copyOf(record, size);
            records.incrementAndGet();
            if (opens(key, number, sealed)) {
                pairs.add(Bytes.of(ByteBuffer.allocate(key.length + NONCE_BYTES)
                        .put(key)
                        .put(nonce(number))
                        .array()));
            } else {
                unexplained.incrementAndGet();
            }
            number++;
            return size;
        }

        @Override
        public void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException {
            real.open(record, length, plaintext);
        }

        @Override
        public void destroy() {
            real.destroy();
        }
    }
}
