package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A sparse encoding of all that a tensor's gradient and memory hold, of which nothing was written down yet: gradient and memory
 * stay as they are until the sum is certain. Then one pass over both makes what is owed and, where it is wanted, the sum itself.
 *
 * <p>The gradient and the encoding are borrowed until the end, and must not change before.
 */
public abstract sealed class SparsePending implements Pending
        permits OwingSparsePending, NarrowSparsePending, DgcPending {
    private final Remembered.Encoding encoding;
    private final MemorySegment own;
    private final long count;
    private boolean isOwed;

    SparsePending(Remembered.Encoding encoding, MemorySegment own, long count) {
        this.encoding = encoding;
        this.own = own;
        this.count = count;
    }

    /**
     * Makes what is owed from values {@code first} to {@code first + n} on, but for what {@link #sent} tells of.
     *
     * @param all all of them were sent as they are
     */
    abstract void owe(long first, int n, boolean all);

    /** Value {@code index}, after {@link #owe}, was sent, and its decoder takes it for {@code decoded}. */
    abstract void sent(long index, float decoded);

    /** Of values {@code first} to {@code first + n} all that was sent is told. */
    void settle(long first, int n) {}

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
        oweAll(new SparseSum.Addends(encodings, divisor, sum, count));
    }

    private void oweAll(SparseSum.Addends sum) {
        isOwed = true;
        if (Header.isOf(own, Header.NONE)) {
            for (long first = 0; first < count; first += SparseSum.RUN) {
                int n = (int) Math.min(SparseSum.RUN, count - first);
                owe(first, n, true);
                settle(first, n);
                sum.add(first, n);
            }
            return;
        }
        SparseCursor cursor = SparseCursor.over(own, count);
        boolean more = cursor.next();
        for (long first = 0; first < count; first += SparseSum.RUN) {
            int n = (int) Math.min(SparseSum.RUN, count - first);
            owe(first, n, false);
            while (more && cursor.index() < first + n) {
                sent(cursor.index(), cursor.value());
                more = cursor.next();
            }
            settle(first, n);
            sum.add(first, n);
        }
    }

    @Override
    public void gradientEnds() {
        encoding.checkPending();
        if (!isOwed) {
            oweAll(SparseSum.Addends.NONE);
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
