package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums of sparse encodings that stay sparse while that is smaller: what {@link TopKCodec} and {@link DgcMemory} write, and what
 * merging such encodings gives. Whatever the values were stored as, those of a sum are float32: it must not be rounded a second
 * time. A sum is dense (as {@link NoneCodec} writes) from where sparse could take as many bytes, and where a value overflowed,
 * because infinity has to arrive as such.
 */
public final class SparseSum {
    private static final NoneCodec DENSE = new NoneCodec();

    private SparseSum() {}

    /** Most bytes of a sum, and of what may be merged into one: those of {@code count} plain values. */
    public static long encodedBytesMax(long count) {
        return DENSE.encodedBytesMax(count);
    }

    /**
     * Merges two encodings into one of their sum; a value that both have is {@code left + right}.
     *
     * @param left all bytes of one encoding of {@code count} values, heap or native; borrowed
     * @param right as {@code left}
     * @param merged native memory of at least {@link #encodedBytesMax} bytes, apart from both; written
     * @return bytes written
     * @throws MalformedMessageException if {@code left} or {@code right} is not such an encoding; found before anything is written
     */
    public static long merge(MemorySegment left, MemorySegment right, long count, MemorySegment merged)
            throws MalformedMessageException {
        Float32.checkRoom(merged, encodedBytesMax(count), count);
        boolean leftSparse = check(left, count);
        boolean rightSparse = check(right, count);
        if (leftSparse && rightSparse) {
            var union = Union.of(left, right, count);
            if (union.finite() && Sparse.bytesMax(count, union.values(), true) < encodedBytesMax(count)) {
                return write(left, right, count, union.values(), merged);
            }
        }
        Header.write(merged, Header.NONE, 0, count);
        MemorySegment sum = merged.asSlice(Header.BYTES, count * Float.BYTES);
        decode(left, sum, count);
        decodeAndAdd(right, sum, count);
        return encodedBytesMax(count);
    }

    /**
     * Decodes an encoding over what {@code values} held.
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
     * Decodes a sum of several encodings, or their mean, over what {@code values} held: added in the order given, each value divided
     * before it is added.
     *
     * @param encodings heap or native; borrowed
     * @param divisor 1 or more
     * @throws MalformedMessageException as {@link Codec#decode}, about the first one that is malformed; found before anything is written
     */
    public static void decodeAll(List<MemorySegment> encodings, int divisor, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        var sparse = new ArrayList<Boolean>();
        for (MemorySegment encoded : encodings) {
            sparse.add(check(encoded, count));
        }
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        for (int i = 0; i < encodings.size(); i++) {
            MemorySegment encoded = encodings.get(i);
            if (sparse.get(i)) {
                Sparse.scatterAdd(encoded, values, count, divisor);
            } else {
                addDense(encoded, values, count, divisor);
            }
        }
    }

    private static void addDense(MemorySegment encoded, MemorySegment values, long count, int divisor) {
        for (long i = 0; i < count; i++) {
            float value = encoded.get(Float32.FLOAT, Header.BYTES + i * Float.BYTES) / divisor;
            values.setAtIndex(Float32.FLOAT, i, values.getAtIndex(Float32.FLOAT, i) + value);
        }
    }

    /**
     * Reads every byte of an encoding.
     *
     * @param encoded heap or native; borrowed
     * @return whether it is sparse; else it holds all values
     * @throws MalformedMessageException if it is no sum of {@code count} values
     */
    public static boolean check(MemorySegment encoded, long count) throws MalformedMessageException {
        if (Header.isOf(encoded, Header.NONE)) {
            DENSE.check(encoded, count);
            return false;
        }
        Sparse.check(encoded, count);
        return true;
    }

    /** What merging will give, found by a walk that writes nothing. */
    private record Union(long values, boolean finite) {
        static Union of(MemorySegment left, MemorySegment right, long count) {
            var pair = new Pair(left, right, count);
            long values = 0;
            boolean finite = true;
            while (pair.next()) {
                values++;
                finite &= Float.isFinite(pair.value());
            }
            return new Union(values, finite);
        }
    }

    private static long write(MemorySegment left, MemorySegment right, long count, long values, MemorySegment merged) {
        var writer = new Sparse.Writer(merged, count, values, true, 0);
        var pair = new Pair(left, right, count);
        while (pair.next()) {
            writer.add(pair.index(), pair.value());
        }
        return writer.finish();
    }

    /** Walks over two encodings at once, in the order of their indices. */
    private static final class Pair {
        private final Sparse.Cursor left;
        private final Sparse.Cursor right;
        private long index = -1;
        private float value;

        Pair(MemorySegment left, MemorySegment right, long count) {
            this.left = new Sparse.Cursor(left, count);
            this.right = new Sparse.Cursor(right, count);
            this.left.next();
            this.right.next();
        }

        boolean next() {
            index = Math.min(left.index(), right.index());
            if (index == Long.MAX_VALUE) {
                return false;
            }
            if (left.index() != right.index()) {
                Sparse.Cursor one = left.index() == index ? left : right;
                value = one.value();
                one.next();
            } else {
                value = left.value() + right.value();
                left.next();
                right.next();
            }
            return true;
        }

        long index() {
            return index;
        }

        float value() {
            return value;
        }
    }
}
