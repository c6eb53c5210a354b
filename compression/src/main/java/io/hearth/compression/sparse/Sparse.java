package io.hearth.compression.sparse;

import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * The encoding of some of the values with their indices; all others are 0.
 *
 * <pre>
 * header parameter: 16 or 32, the bits per value; in its next byte the parameter of {@link Gaps}
 * body: | k: int64 | k values: {@link KeptValues} | k gaps: {@link Gaps} |
 * </pre>
 *
 * A gap is the number of values left out since the one before, so indices strictly rise, whatever the bytes are. Each set of indices and
 * stored values has exactly one encoding.
 */
public final class Sparse {
    private static final int KEPT_AT = Header.BYTES;
    private static final int VALUES_AT = KEPT_AT + Long.BYTES;

    private Sparse() {}

    /** Most bytes for at most {@code kept} of {@code count} values. */
    public static long bytesMax(long count, long kept, boolean full) {
        return Math.addExact(VALUES_AT, Math.addExact(KeptValues.bytes(full, kept), Gaps.bytesMax(count, kept)));
    }

    private static int parameter(long count, long kept, boolean full) {
        return KeptValues.bits(full) | Gaps.parameter(count, kept) << Byte.SIZE;
    }

    /** Writes an encoding in one pass. */
    public static final class Writer {
        private final KeptValues values;
        private final Gaps.Writer gaps;
        private long written;
        private long expected;

        /**
         * Begins an encoding in memory with room for {@link #bytesMax}.
         * @param kept number of values that will be added
         * @param largestBits magnitude of the largest of them, as bits; ignored if {@code full}
         */
        public Writer(MemorySegment encoded, long count, long kept, boolean full, int largestBits) {
            Header.write(encoded, Header.SPARSE, parameter(count, kept, full), count);
            encoded.set(Header.LONG, KEPT_AT, kept);
            values = KeptValues.write(encoded, VALUES_AT, full, largestBits);
            long gapsAt = VALUES_AT + KeptValues.bytes(full, kept);
            gaps = new Gaps.Writer(encoded, gapsAt, Gaps.parameter(count, kept));
        }

        /** Adds a value and returns its decoded value; indices must rise. */
        float add(long index, float value) {
            gaps.add(index - expected);
            expected = index + 1;
            return values.set(written++, value);
        }

        /** Completes the encoding and returns its size in bytes. */
        public long finish() {
            return gaps.finish();
        }
    }

    /** Iterates over an encoding that passed {@link #check}. */
    static final class Cursor implements SparseCursor {
        private final KeptValues values;
        private final Gaps.Reader gaps;
        private final long kept;
        private long at = -1;
        private long index = -1;

        Cursor(MemorySegment encoded, long count) {
            kept = encoded.get(Header.LONG, KEPT_AT);
            boolean full = isFull(encoded);
            values = KeptValues.read(encoded, VALUES_AT, full);
            long gapsAt = VALUES_AT + KeptValues.bytes(full, kept);
            gaps = new Gaps.Reader(encoded, gapsAt, Gaps.parameter(count, kept));
        }

        @Override
        public boolean next() {
            if (++at >= kept) {
                return false;
            }
            index += gaps.next() + 1;
            return true;
        }

        @Override
        public long index() {
            return index;
        }

        @Override
        public float value() {
            return values.get(at);
        }
    }

    /** Checks every byte of an encoding of {@code count} values and returns the number of kept values. */
    static long check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, Header.SPARSE, count);
        if (encoded.byteSize() < VALUES_AT) {
            throw new MalformedMessageException("a sparse encoding ends before its number of kept values");
        }
        long kept = encoded.get(Header.LONG, KEPT_AT);
        boolean full = isFull(encoded);
        if (kept < 0 || kept > count || kept > encoded.byteSize() / Short.BYTES || tooLong(encoded, kept, full)) {
            throw new MalformedMessageException(
                    kept + " of " + count + " values in " + encoded.byteSize() + " bytes: the size does not fit");
        }
        if (Header.parameter(encoded) != parameter(count, kept, full)) {
            throw new MalformedMessageException(kept + " of " + count + " values have the parameter "
                    + parameter(count, kept, full) + ", not " + Header.parameter(encoded));
        }
        KeptValues.check(encoded, VALUES_AT, full, kept);
        Gaps.check(encoded, VALUES_AT + KeptValues.bytes(full, kept), kept, count);
        return kept;
    }

    private static boolean isFull(MemorySegment encoded) {
        return (Header.parameter(encoded) & 0xff) == KeptValues.bits(true);
    }

    private static boolean tooLong(MemorySegment encoded, long kept, boolean full) {
        return KeptValues.bytes(full, kept) > encoded.byteSize() - VALUES_AT;
    }

    /** Decodes and overwrites {@code values}. */
    static void scatter(MemorySegment encoded, MemorySegment values, long count) {
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        scatterAdd(encoded, values, count);
    }

    /** Decodes and adds to {@code values}. Values that are left out still add 0, which turns -0 into +0. */
    static void addAll(MemorySegment encoded, MemorySegment values, long count) {
        Float32.addZero(values, count);
        scatterAdd(encoded, values, count);
    }

    private static void scatterAdd(MemorySegment encoded, MemorySegment values, long count) {
        SparseCursor cursor = SparseCursor.over(encoded, count);
        while (cursor.next()) {
            long offset = cursor.index() * Float.BYTES;
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + cursor.value());
        }
    }
}
