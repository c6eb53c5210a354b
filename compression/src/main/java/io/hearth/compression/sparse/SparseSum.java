package io.hearth.compression.sparse;

import io.hearth.compression.Codec;
import io.hearth.compression.Workers;
import io.hearth.compression.block.NoneCodec;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the encodings of {@link TopKCodec}, {@link ChunkedTopKCodec} and {@code DgcMemory}, and adds them to sums without decoding them to
 * dense values first. Encodings are sparse, or dense (as {@link NoneCodec} writes them) if values that are not finite had to arrive as
 * such.
 */
public final class SparseSum {
    /** Values per run: a run fits a first-level cache. */
    public static final int RUN = 4096;

    private static final NoneCodec DENSE = new NoneCodec();

    private SparseSum() {}

    /**
     * Decodes an encoding and overwrites {@code values}.
     *
     * @throws MalformedMessageException as {@link Codec#decode}
     */
    public static void decode(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        if (check(encoded, count)) {
            Sparse.scatter(encoded, values, count);
        } else {
            DENSE.decode(encoded, values, count);
        }
    }

    /**
     * Decodes an encoding and adds it.
     *
     * @throws MalformedMessageException as {@link Codec#decodeAndAdd}
     */
    public static void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        if (check(encoded, count)) {
            Sparse.addAll(encoded, values, count);
        } else {
            DENSE.decodeAndAdd(encoded, values, count);
        }
    }

    /**
     * Decodes the sum of several encodings, or their mean, and overwrites {@code values}. Encodings are added in the order given, each
     * value divided before it is added.
     *
     * @param encodings heap or native; borrowed
     * @param divisor 1 or more
     * @throws MalformedMessageException as {@link Codec#decode}, about the first one that is malformed; thrown before anything is written
     */
    public static void decodeAll(
            Workers workers, List<MemorySegment> encodings, int divisor, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        for (MemorySegment encoded : encodings) {
            check(encoded, count);
        }
        Workers able = workers.over(values);
        able.divide(able.pieces(count), count, RUN, (_, from, end) -> {
            var addends = new Addends(encodings, divisor, values, count, from);
            for (long first = from; first < end; first += RUN) {
                addends.add(first, (int) Math.min(RUN, end - first));
            }
        });
    }

    /** Adds checked encodings to a sum, run by run, in order. */
    public static final class Addends {
        private final MemorySegment sum;
        private final int divisor;
        private final List<Addend> addends = new ArrayList<>();

        /** Adds the values from {@code from} on; each is divided before it is added. {@code sum} is overwritten. */
        public Addends(List<MemorySegment> encodings, int divisor, MemorySegment sum, long count, long from) {
            this.sum = sum;
            this.divisor = divisor;
            for (MemorySegment encoded : encodings) {
                addends.add(
                        Header.isOf(encoded, Header.NONE)
                                ? new Dense(encoded)
                                : new Few(SparseCursor.over(encoded, count), from));
            }
        }

        /** Writes {@code n} values of the sum from {@code first} on; runs must come in order. */
        public void add(long first, int n) {
            if (addends.isEmpty()) {
                return;
            }
            sum.asSlice(first * Float.BYTES, (long) n * Float.BYTES).fill((byte) 0);
            for (Addend addend : addends) {
                addend.add(sum, first, n, divisor);
            }
        }
    }

    private sealed interface Addend {
        void add(MemorySegment sum, long first, int n, int divisor);
    }

    private static final class Few implements Addend {
        private final SparseCursor cursor;
        private boolean more;

        Few(SparseCursor cursor, long from) {
            this.cursor = cursor;
            more = cursor.seek(from);
        }

        @Override
        public void add(MemorySegment sum, long first, int n, int divisor) {
            for (; more && cursor.index() < first + n; more = cursor.next()) {
                long at = cursor.index() * Float.BYTES;
                sum.set(Float32.FLOAT, at, sum.get(Float32.FLOAT, at) + cursor.value() / divisor);
            }
        }
    }

    private record Dense(MemorySegment encoded) implements Addend {
        @Override
        public void add(MemorySegment sum, long first, int n, int divisor) {
            for (long at = first * Float.BYTES; at < (first + n) * Float.BYTES; at += Float.BYTES) {
                float value = encoded.get(Float32.FLOAT, Header.BYTES + at) / divisor;
                sum.set(Float32.FLOAT, at, sum.get(Float32.FLOAT, at) + value);
            }
        }
    }

    /**
     * Checks every byte of an encoding.
     * @param encoded heap or native; borrowed
     * @return whether it is sparse, or else dense
     * @throws MalformedMessageException if it is not a valid encoding of {@code count} values
     */
    public static boolean check(MemorySegment encoded, long count) throws MalformedMessageException {
        if (Header.isOf(encoded, Header.NONE)) {
            DENSE.check(encoded, count);
            return false;
        }
        if (Header.isOf(encoded, Header.CHUNKS)) {
            SparseChunks.check(encoded, count);
        } else {
            Sparse.check(encoded, count);
        }
        return true;
    }
}
