package io.hearth.transport.record;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.cipher.RecordCipher;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The record buffers of one thread. They are unused between calls, so the thread's streams share them. Allocated on first use. */
public final class RecordBuffers {
    /** Largest sealed record. */
    public static final int SEALED_BYTES_MAX =
            RecordHeader.BYTES + RecordHeader.LANE_BYTES + RecordHeader.RECORD_BYTES_MAX + RecordCipher.TAG_BYTES;

    private @Nullable Lender lender;
    private byte @Nullable [] record;
    private byte @Nullable [] opened;
    private @Nullable ByteBuffer direct;

    /** A stream whose memory holds a record that it gave to a thread, until the thread receives again. */
    @FunctionalInterface
    public interface Lender {
        /** Takes back that thread's record, if it has one. */
        void endLoanOf(Thread thread);
    }

    /** The calling thread has a record in that stream's memory. */
    public void borrowed(Lender from) {
        lender = from;
    }

    /** Gives back the calling thread's record of another stream, before it receives from {@code receiver}; {@code null}: from none. */
    public void endLoan(@Nullable Object receiver) {
        Lender from = lender;
        if (from != null && !from.equals(receiver)) {
            lender = null;
            from.endLoanOf(Thread.currentThread());
        }
    }

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
