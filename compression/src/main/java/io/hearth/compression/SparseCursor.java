package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/** Walks over the values of an encoding that was found sound, by rising index. */
interface SparseCursor {
    /** Goes to the next value; false behind the last. */
    boolean next();

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
