package io.hearth.transport.stream;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The scratch space of one thread for records: between calls nothing of it is in use, so its streams share it. Made when it is needed. */
public final class RecordBuffers {
    /** Largest sealed record. */
    public static final int SEALED_BYTES_MAX =
            RecordHeader.BYTES + RecordHeader.RECORD_BYTES_MAX + RecordCipher.TAG_BYTES;

    /** The stream whose memory the thread was shown last, until it receives again. */
    @Nullable
    SharedMemoryStream lender;

    private byte @Nullable [] record;
    private byte @Nullable [] opened;
    private @Nullable ByteBuffer direct;

    /** A record as on the wire, sealed here or about to be opened. */
    byte[] record() {
        byte[] made = record;
        if (made == null) {
            made = new byte[SEALED_BYTES_MAX];
            record = made;
        }
        return made;
    }

    /** Plaintext of the record opened last. */
    byte[] opened() {
        byte[] made = opened;
        if (made == null) {
            made = new byte[RecordHeader.RECORD_BYTES_MAX];
            opened = made;
        }
        return made;
    }

    /** What the operating system reads and writes: one record, and the header behind it. */
    ByteBuffer direct() {
        ByteBuffer made = direct;
        if (made == null) {
            made = ByteBuffer.allocateDirect(SEALED_BYTES_MAX + RecordHeader.BYTES);
            direct = made;
        }
        return made;
    }
}
