package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Gaps between rising indices as LEB128: seven bits per byte, least significant first, the top bit set on all but the last. */
final class Gaps {
    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;
    private static final int BYTES_MAX = 9;

    private final MemorySegment encoded;
    private long at;

    /** Reads from {@code at}, what {@link #check} found sound before. */
    Gaps(MemorySegment encoded, long at) {
        this.encoded = encoded;
        this.at = at;
    }

    long next() {
        long gap = 0;
        for (int shift = 0; ; shift += BITS) {
            byte part = encoded.get(ValueLayout.JAVA_BYTE, at++);
            gap |= (long) (part & (MORE - 1)) << shift;
            if (part >= 0) {
                return gap;
            }
        }
    }

    /** Writes {@code gap} and returns the offset after it. */
    static long write(MemorySegment encoded, long at, long gap) {
        long end = at;
        long rest = gap;
        while (rest >= MORE) {
            encoded.set(ValueLayout.JAVA_BYTE, end++, (byte) (rest | MORE));
            rest >>>= BITS;
        }
        encoded.set(ValueLayout.JAVA_BYTE, end++, (byte) rest);
        return end;
    }

    /** Bytes of {@code gap}. */
    static int bytes(long gap) {
        return Math.max(1, Math.ceilDiv(Long.SIZE - Long.numberOfLeadingZeros(gap), BITS));
    }

    /** Most bytes of a gap below {@code count}. */
    static int bytesOf(long count) {
        return bytes(Math.max(0, count - 1));
    }

    /** Exactly {@code kept} gaps from {@code at} to the end, each in its shortest form, leading to indices below {@code count}. */
    static void check(MemorySegment encoded, long at, long kept, long count) throws MalformedMessageException {
        long index = 0;
        long next = at;
        for (long i = 0; i < kept; i++) {
            long gap = 0;
            int length = 0;
            byte part;
            do {
                if (length == BYTES_MAX || next == encoded.byteSize()) {
                    throw new MalformedMessageException("gap " + i + " of " + kept + " has no end");
                }
                part = encoded.get(ValueLayout.JAVA_BYTE, next++);
                gap |= (long) (part & (MORE - 1)) << (BITS * length++);
            } while (part < 0);
            if (part == 0 && length > 1) {
                throw new MalformedMessageException("gap " + i + " of " + kept + " is longer than it need be");
            }
            if (gap >= count - index) {
                throw new MalformedMessageException("gap " + i + " of " + kept + " leads beyond value " + count);
            }
            index += gap + 1;
        }
        if (next != encoded.byteSize()) {
            throw new MalformedMessageException(encoded.byteSize() - next + " bytes after the last gap");
        }
    }
}
