package io.hearth.transport.cipher;

import javax.crypto.AEADBadTagException;

/**
 * Seals or opens the records of one direction of one data stream. One thread at a time.
 *
 * <p>The product always uses {@link AeadCipher}. This interface is public for the bench, which compares encryption with a double that only
 * copies. An architecture test forbids all other uses.
 */
public interface RecordCipher {
    /** Bytes of the tag behind the ciphertext. */
    int TAG_BYTES = 16;

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

        /** The JDK's name of the cipher. */
        String transformation() {
            return transformation;
        }

        /** The JDK's name of the key algorithm. */
        String algorithm() {
            return algorithm;
        }
    }

    /** Makes ciphers. It lets tests count them and see their keys, and lets the bench leave them out. */
    @FunctionalInterface
    interface Factory {
        /**
         * A cipher for one direction of one stream.
         *
         * @param key 32 bytes, owned by the cipher from now on
         * @param recordsPerKey records that one key seals, at least 1
         */
        RecordCipher create(Suite suite, byte[] key, long recordsPerKey);
    }

    /**
     * Seals one record in place.
     *
     * @param record header, {@code length} bytes of plaintext, room for the tag
     * @return size of the sealed record
     */
    int seal(byte[] record, int length);

    /**
     * Opens one record.
     *
     * @param record as it was on the wire, {@code length} bytes of ciphertext behind the header, then the tag
     * @param plaintext receives {@code length} bytes, which are undefined if this throws
     * @throws AEADBadTagException it is not the record that the peer sealed at this place of the stream
     */
    void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException;

    /** Drops the key; every later use fails. */
    void destroy();
}
