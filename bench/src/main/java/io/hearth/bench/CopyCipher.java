package io.hearth.bench;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;

/**
 * No cipher: records are plain text, with a fixed mark in place of the tag. The times of a sum with it and with the real cipher differ by the cost of encryption. All other work is the same: the handshake, the keys, the copy from one array to another.
 *
 * <p>Both ends must use it: a sealed record lacks the mark, and a real cipher rejects the mark as a tag.
 */
final class CopyCipher implements RecordCipher {
    private static final byte[] MARK = "hearth plaintext".getBytes(StandardCharsets.US_ASCII);

    @Override
    public int seal(byte[] record, int length) {
        System.arraycopy(MARK, 0, record, RecordHeader.BYTES + length, TAG_BYTES);
        return RecordHeader.BYTES + length + TAG_BYTES;
    }

    @Override
    public void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException {
        int tag = RecordHeader.BYTES + length;
        if (!Arrays.equals(record, tag, tag + TAG_BYTES, MARK, 0, TAG_BYTES)) {
            throw new AEADBadTagException("the other end encrypts its records, and this end does not");
        }
        System.arraycopy(record, RecordHeader.BYTES, plaintext, 0, length);
    }

    @Override
    public void destroy() {
        // there is no key
    }
}
