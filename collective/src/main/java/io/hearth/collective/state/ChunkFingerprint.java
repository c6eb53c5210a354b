package io.hearth.collective.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Fingerprints of chunks: CRC-32C in the upper half, CRC-32 in the lower. Common processors have instructions for both, so a rank
 * can check its whole state at every step. Together they detect accidental differences, from a flipped bit to another model. They
 * do not detect forgery: members are trusted, and their bytes are authenticated. Each piece goes through both while it is in the
 * first-level cache.
 *
 * <p>For one thread at a time.
 */
final class ChunkFingerprint {
    private static final int PIECE_BYTES = 16 * 1024;

    private final CRC32C upper = new CRC32C();
    private final CRC32 lower = new CRC32();
    private final byte[] copy = new byte[PIECE_BYTES];

    /** The fingerprint of these bytes alone. */
    long of(MemorySegment bytes) {
        add(bytes);
        return take();
    }

    /** Adds bytes to the current fingerprint. */
    void add(MemorySegment bytes) {
        boolean isDirect = bytes.isNative();
        for (long from = 0; from < bytes.byteSize(); from += PIECE_BYTES) {
            int length = (int) Math.min(PIECE_BYTES, bytes.byteSize() - from);
            if (isDirect) {
                ByteBuffer piece = bytes.asSlice(from, length).asByteBuffer();
                upper.update(piece);
                lower.update(piece.rewind());
            } else {
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, copy, 0, length);
                upper.update(copy, 0, length);
                lower.update(copy, 0, length);
            }
        }
    }

    /** Returns the fingerprint of all bytes added since the last call, and starts the next one. */
    long take() {
        long fingerprint = upper.getValue() << 32 | lower.getValue();
        upper.reset();
        lower.reset();
        return fingerprint;
    }
}
