package io.hearth.bench;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;

/**
 * No cipher: records go as plain text, with a fixed mark where the tag would be. What a sum takes with it and with the real one
 * differs by what encryption costs; everything else is done as always (the handshake, keys, one array into another).
 *
 * <p>Both ends must use it: to it no sealed record has the mark, and to a real cipher the mark is no tag.
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
            throw new AEADBadTagException("the other end ciphers its records, this one copies them");
        }
        System.arraycopy(record, RecordHeader.BYTES, plaintext, 0, length);
    }

    @Override
    public void destroy() {
        // there is no key
    }
}
