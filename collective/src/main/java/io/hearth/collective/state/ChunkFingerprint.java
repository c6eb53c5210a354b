package io.hearth.collective.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Takes fingerprints of chunks: CRC-32C in the upper half, CRC-32 in the lower. Both are single instructions or nearly so on the
 * processors that matter, so that a state can be looked over at every step. Together they find what goes wrong by itself, a
 * flipped bit as well as another model, and not what somebody makes up: members are trusted, and their bytes come
 * authenticated. A piece goes through both while it is in the first cache.
 *
 * <p>One thread at a time.
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

    /** Goes on with these bytes. */
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

    /** The fingerprint of all that was added since the last one was taken. */
    long take() {
        long fingerprint = upper.getValue() << 32 | lower.getValue();
        upper.reset();
        lower.reset();
        return fingerprint;
    }
}
