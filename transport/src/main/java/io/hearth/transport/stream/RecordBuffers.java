package io.hearth.transport.stream;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The record buffers of one thread. They are unused between calls, so the thread's streams share them. Allocated on first use. */
public final class RecordBuffers {
    /** Largest sealed record. */
    public static final int SEALED_BYTES_MAX =
            RecordHeader.BYTES + RecordHeader.LANE_BYTES + RecordHeader.RECORD_BYTES_MAX + RecordCipher.TAG_BYTES;

    /** The stream whose memory holds the thread's last received record, until the thread receives again. */
    @Nullable
    SharedMemoryStream lender;

    private byte @Nullable [] record;
    private byte @Nullable [] opened;
    private @Nullable ByteBuffer direct;

    /** A record as on the wire: just sealed, or to be opened. */
    byte[] record() {
        byte[] made = record;
        if (made == null) {
            made = new byte[SEALED_BYTES_MAX];
            record = made;
        }
        return made;
    }

    /** Plaintext of the last opened record. */
    byte[] opened() {
        byte[] made = opened;
        if (made == null) {
            made = new byte[RecordHeader.RECORD_BYTES_MAX];
            opened = made;
        }
        return made;
    }

    /** Buffer for system calls: one record and the next header. */
    ByteBuffer direct() {
        ByteBuffer made = direct;
        if (made == null) {
            made = ByteBuffer.allocateDirect(SEALED_BYTES_MAX + RecordHeader.BYTES);
            direct = made;
        }
        return made;
    }
}
