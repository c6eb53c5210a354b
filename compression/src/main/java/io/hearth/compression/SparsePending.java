package io.hearth.compression;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A sparse encoding of all that a tensor's gradient and memory hold, of which nothing was written down yet: gradient and memory
 * stay as they are until the sum is certain. Then one pass over both makes what is owed and, where it is wanted, the sum itself.
 *
 * <p>The gradient and the encoding are borrowed until the end, and must not change before.
 */
public abstract sealed class SparsePending implements Pending
        permits ResidualSparsePending, NarrowSparsePending, DgcPending {
    private final Workers workers;
    private final TensorMemory.Encoding encoding;
    private final MemorySegment own;
    private final long count;
    private boolean isOwed;

    SparsePending(Workers workers, TensorMemory.Encoding encoding, MemorySegment own, long count) {
        this.workers = workers;
        this.encoding = encoding;
        this.own = own;
        this.count = count;
    }

    /** Computes the residual of one part of the tensor, a run of values at a time, on one thread. */
    interface Rest {
        /**
         * Makes what is owed from values {@code first} to {@code first + n} on, but for what {@link #sent} tells of.
         *
         * @param all all of them were sent as they are
         */
        void owe(long first, int n, boolean all);

        /** Value {@code index}, of the last run, was sent, and its decoder takes it for {@code decoded}. */
        void sent(long index, float decoded);

        /** All that was sent of the last run is told. */
        default void settle(long first, int n) {}
    }

    /** For one thread; what it needs in memory of {@code arena}. */
    abstract Rest rest(Arena arena);

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    /**
     * Writes the sum of several encodings, this one among them, and what is owed, in one pass; {@link #commit} must follow. Added in the
     * order given, each value divided before it is added.
     *
     * @param encodings for {@link SparseSum#check}, heap or native; borrowed
     * @param divisor 1 or more
     * @param sum native memory for the values; written; may be that of the gradient
     */
    public void deliver(List<MemorySegment> encodings, int divisor, MemorySegment sum) {
        encoding.checkPending();
        Float32.checkRoom(sum, count);
        oweAll(encodings, divisor, sum);
    }

    private void oweAll(List<MemorySegment> encodings, int divisor, MemorySegment sum) {
        isOwed = true;
        Workers able = workers.over(sum);
        able.divide(able.pieces(count), count, SparseSum.RUN, (_, from, end) -> {
            try (var arena = Arena.ofConfined()) {
                owe(rest(arena), new SparseSum.Addends(encodings, divisor, sum, count, from), from, end);
            }
        });
    }

    private void owe(Rest rest, SparseSum.Addends sum, long from, long end) {
        boolean all = Header.isOf(own, Header.NONE);
        SparseCursor cursor = all ? SparseCursor.NONE : SparseCursor.over(own, count);
        boolean more = cursor.seek(from);
        for (long first = from; first < end; first += SparseSum.RUN) {
            int n = (int) Math.min(SparseSum.RUN, end - first);
            rest.owe(first, n, all);
            while (more && cursor.index() < first + n) {
                rest.sent(cursor.index(), cursor.value());
                more = cursor.next();
            }
            rest.settle(first, n);
            sum.add(first, n);
        }
    }

    @Override
    public void gradientEnds() {
        encoding.checkPending();
        if (!isOwed) {
            oweAll(List.of(), 1, MemorySegment.NULL);
        }
    }

    @Override
    public void commit() {
        gradientEnds();
        encoding.commit();
    }

    /** What was delivered cannot be taken back: if it must be, nothing is owed any more. */
    @Override
    public void rollback() {
        if (isOwed) {
            encoding.forget();
        }
        encoding.rollback();
    }
}
