package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Some of the values with their indices; all others are 0.
 *
 * <pre>
 * body: | k: int64 | k values: float32, finite | k gaps: LEB128, shortest form |
 * </pre>
 *
 * A gap is the number of values left out since the one before, so indices strictly rise whatever the bytes are.
 */
final class Sparse {
    private static final int KEPT_AT = Header.BYTES;
    private static final int VALUES_AT = KEPT_AT + Long.BYTES;

    private Sparse() {}

    /** Most bytes of {@code kept} of {@code count} values. */
    static long bytesMax(long count, long kept) {
        return VALUES_AT + Math.multiplyExact(kept, (long) Float.BYTES + Gaps.bytesOf(count));
    }

    /** Writes values and gaps apart, because nobody knows beforehand how many values there will be. */
    static final class Writer {
        private final MemorySegment encoded;
        private final long count;
        private final long gapsAt;
        private long valueAt = VALUES_AT;
        private long gapAt;
        private long expected;

        /** Room for {@link #bytesMax} of {@code keptMax} of {@code count} values. */
        Writer(MemorySegment encoded, long count, long keptMax) {
            this.encoded = encoded;
            this.count = count;
            gapsAt = VALUES_AT + keptMax * Float.BYTES;
            gapAt = gapsAt;
        }

        /** Indices have to rise. */
        void add(long index, int bits) {
            encoded.set(Float32.BITS, valueAt, bits);
            valueAt += Float.BYTES;
            gapAt = Gaps.write(encoded, gapAt, index - expected);
            expected = index + 1;
        }

        /** Moves the gaps up to the values; the size of it all. */
        long finish() {
            Header.write(encoded, Header.SPARSE, 0, count);
            encoded.set(Header.LONG, KEPT_AT, (valueAt - VALUES_AT) / Float.BYTES);
            long bytes = gapAt - gapsAt;
            MemorySegment.copy(encoded, gapsAt, encoded, valueAt, bytes);
            return valueAt + bytes;
        }
    }

    /** Walks over an encoding that {@link #check} found sound. */
    static final class Cursor {
        private final MemorySegment encoded;
        private final Gaps gaps;
        private final long end;
        private long valueAt = VALUES_AT - Float.BYTES;
        private long index = -1;

        Cursor(MemorySegment encoded) {
            this.encoded = encoded;
            end = gapsAt(encoded.get(Header.LONG, KEPT_AT));
            gaps = new Gaps(encoded, end);
        }

        /** Goes to the next value; false behind the last. */
        boolean next() {
            valueAt += Float.BYTES;
            if (valueAt >= end) {
                index = Long.MAX_VALUE;
                return false;
            }
            index += gaps.next() + 1;
            return true;
        }

        /** {@link Long#MAX_VALUE} behind the last. */
        long index() {
            return index;
        }

        float value() {
            return encoded.get(Float32.FLOAT, valueAt);
        }
    }

    /** How many values a sound encoding of {@code count} keeps; reads every byte. */
    static long check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, Header.SPARSE, 0, count);
        if (encoded.byteSize() < VALUES_AT) {
            throw new MalformedMessageException("a sparse encoding ends before it says how much it keeps");
        }
        long kept = encoded.get(Header.LONG, KEPT_AT);
        if (kept < 0 || kept > count || kept > (encoded.byteSize() - VALUES_AT) / (Float.BYTES + 1)) {
            throw new MalformedMessageException(
                    kept + " of " + count + " values in " + encoded.byteSize() + " bytes: the size does not fit");
        }
        for (long i = 0; i < kept; i++) {
            float value = encoded.get(Float32.FLOAT, VALUES_AT + i * Float.BYTES);
            if (!Float.isFinite(value)) {
                throw new MalformedMessageException("kept value " + i + " is " + value);
            }
        }
        Gaps.check(encoded, gapsAt(kept), kept, count);
        return kept;
    }

    private static long gapsAt(long kept) {
        return VALUES_AT + kept * Float.BYTES;
    }

    /** Over what {@code values} held. */
    static void scatter(MemorySegment encoded, MemorySegment values, long count) {
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        scatterAdd(encoded, values, 1);
    }

    /** Makes the places of what a sound encoding keeps 0. */
    static void clear(MemorySegment encoded, MemorySegment values) {
        var cursor = new Cursor(encoded);
        while (cursor.next()) {
            values.set(Float32.FLOAT, cursor.index() * Float.BYTES, 0);
        }
    }

    /** What is left out still adds 0, which turns -0 into +0. */
    static void addAll(MemorySegment encoded, MemorySegment values, long count) {
        Float32.addZero(values, count);
        scatterAdd(encoded, values, 1);
    }

    /** Each value is divided before it is added. */
    static void scatterAdd(MemorySegment encoded, MemorySegment values, int divisor) {
        var cursor = new Cursor(encoded);
        while (cursor.next()) {
            long offset = cursor.index() * Float.BYTES;
            values.set(Float32.FLOAT, offset, values.get(Float32.FLOAT, offset) + cursor.value() / divisor);
        }
    }
}
