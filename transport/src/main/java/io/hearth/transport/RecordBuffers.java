package io.hearth.transport;

import java.nio.ByteBuffer;

/** The scratch space of one thread for records: between calls nothing of it is in use, so its streams share it. */
final class RecordBuffers {
    /** Largest sealed record. */
    static final int SEALED_BYTES_MAX = RecordHeader.BYTES + RecordHeader.RECORD_BYTES_MAX + RecordCipher.TAG_BYTES;

    /** A record as on the wire, sealed here or about to be opened. */
    final byte[] record = new byte[SEALED_BYTES_MAX];

    /** Plaintext of the record opened last. */
    final byte[] opened = new byte[RecordHeader.RECORD_BYTES_MAX];

    /** What the operating system reads and writes: one record, and the header behind it. */
    final ByteBuffer direct = ByteBuffer.allocateDirect(SEALED_BYTES_MAX + RecordHeader.BYTES);
}
