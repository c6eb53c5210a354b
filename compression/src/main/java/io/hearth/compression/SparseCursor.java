package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/** Walks over the values of an encoding that was found sound, by rising index. */
interface SparseCursor {
    /** Over nothing. */
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

    /** Goes to the next value; false behind the last. */
    boolean next();

    /** From the start, goes to the first value at {@code index} or behind it; false if there is none. */
    default boolean seek(long index) {
        boolean more = next();
        while (more && index() < index) {
            more = next();
        }
        return more;
    }

    /** Of the value in the tensor. */
    long index();

    /** What stands there. */
    float value();

    /** Over an encoding of {@code count} values, in whichever of both forms it is. */
    static SparseCursor over(MemorySegment encoded, long count) {
        return Header.isOf(encoded, Header.CHUNKS)
                ? new SparseChunks.Cursor(encoded, count)
                : new Sparse.Cursor(encoded, count);
    }
}
