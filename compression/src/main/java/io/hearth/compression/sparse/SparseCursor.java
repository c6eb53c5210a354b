package io.hearth.compression.sparse;

import io.hearth.compression.format.Header;
import java.lang.foreign.MemorySegment;

/** Iterates over the values of an encoding that passed its check, by rising index. */
public interface SparseCursor {
    /** A cursor over no values. */
    SparseCursor NONE = new SparseCursor() {
        @Override
        public boolean next() {
            return false;
        }

        @Override
        public long index() {
            throw new IllegalStateException("there is no value");
        }

        @Override
        public float value() {
            throw new IllegalStateException("there is no value");
        }
    };

    /** Goes to the next value; false after the last. */
    boolean next();

    /** From the start, goes to the first value at {@code index} or above; false if there is none. */
    default boolean seek(long index) {
        boolean more = next();
        while (more && index() < index) {
            more = next();
        }
        return more;
    }

    /** Index of the value in the tensor. */
    long index();

    /** The value. */
    float value();

    /** A cursor over an encoding of {@code count} values, of either form. */
    static SparseCursor over(MemorySegment encoded, long count) {
        return Header.isOf(encoded, Header.CHUNKS)
                ? new SparseChunks.Cursor(encoded, count)
                : new Sparse.Cursor(encoded, count);
    }
}
