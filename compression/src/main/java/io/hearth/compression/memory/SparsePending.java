package io.hearth.compression.memory;

import io.hearth.compression.Pending;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.compression.sparse.SparseCursor;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A pending sparse encoding of a tensor's gradient plus residual. Gradient and memory stay unchanged until the sum is certain. Then one
 * pass over both computes the next residual and, if it is wanted, the sum itself.
 *
 * <p>The gradient and the encoding are borrowed until the end, and must not change before it.
 */
public abstract sealed class SparsePending implements Pending
        permits ResidualSparsePending, NarrowSparsePending, DgcPending {
    private final Workers workers;
    private final TensorMemory.Encoding encoding;
    private final MemorySegment own;
    private final long count;

    SparsePending(Workers workers, TensorMemory tensor, long nextNote, MemorySegment own, long count) {
        this.workers = workers;
        this.own = own;
        this.count = count;
        encoding = tensor.pendReading(own.byteSize(), nextNote, () -> update(List.of(), 1, MemorySegment.NULL));
    }

    /** Writes the residual of one part of the tensor, a run of values at a time, on one thread. */
    interface ResidualUpdate {
        /**
         * Begins a run: makes the residuals of values {@code first} to {@code first + n} as if none of them were sent.
         *
         * @param all true if all of them were sent as they are, so that their residuals are 0
         */
        void begin(long first, int n, boolean all);

        /** Value {@code index} of this run was sent, and its decoder gets {@code decoded}. */
        void sent(long index, float decoded);

        /** Ends the run, after the last call of {@link #sent} for it. */
        default void end(long first, int n) {}
    }

    /** An update for one thread, which takes its scratch memory from {@code arena}. */
    abstract ResidualUpdate newUpdate(Arena arena);

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    /**
     * Writes the sum of several encodings, this one among them, and the residual, in one pass; {@link #commit} must follow. Encodings are
     * added in the order given, each value divided before it is added.
     *
     * @param encodings for {@link SparseSum#check}, heap or native; borrowed
     * @param divisor 1 or more
     * @param sum native memory for the values; written; may be that of the gradient
     */
    public void deliver(List<MemorySegment> encodings, int divisor, MemorySegment sum) {
        encoding.checkPending();
        Float32.checkRoom(sum, count);
        encoding.changeBy(() -> update(encodings, divisor, sum));
    }

    private void update(List<MemorySegment> encodings, int divisor, MemorySegment sum) {
        Workers able = workers.over(sum);
        able.divide(able.pieces(count), count, SparseSum.RUN, (_, from, end) -> {
            try (var arena = Arena.ofConfined()) {
                update(newUpdate(arena), new SparseSum.Addends(encodings, divisor, sum, count, from), from, end);
            }
        });
    }

    private void update(ResidualUpdate residuals, SparseSum.Addends sum, long from, long end) {
        boolean all = Header.isOf(own, Header.NONE);
        SparseCursor cursor = all ? SparseCursor.NONE : SparseCursor.over(own, count);
        boolean more = cursor.seek(from);
        for (long first = from; first < end; first += SparseSum.RUN) {
            int n = (int) Math.min(SparseSum.RUN, end - first);
            residuals.begin(first, n, all);
            while (more && cursor.index() < first + n) {
                residuals.sent(cursor.index(), cursor.value());
                more = cursor.next();
            }
            residuals.end(first, n);
            sum.add(first, n);
        }
    }

    @Override
    public void gradientEnds() {
        encoding.gradientEnds();
    }

    @Override
    public void commit() {
        encoding.commit();
    }

    @Override
    public void rollback() {
        encoding.rollback();
    }
}
