package io.hearth.transport.record;

import io.hearth.transport.Arrivals;

/**
 * Counts what arrives on a stream, see {@link Arrivals}. It reads the clock only for large records that are not there at once, and for the
 * record after a large one. Written by the receiving thread, read by any thread.
 */
final class ArrivalMeter {
    /** Missing bytes from which a record counts as large: a smaller one ends before a wait in it says anything. */
    static final int LARGE_BYTES = 32 * 1024;

    private volatile long bytes; // written last, read first: its reader sees the other counters at least as new
    private long wireBytes;
    private long wireNanos;
    private long silentNanos;
    private boolean afterLarge;
    private long emptiedNanos; // when the socket was empty in the middle of a record; 0 if it was not
    private int emptiedAt;

    /** The receiver begins to read the header of a record; returns the time for {@link #began}, 0 if it does not matter. */
    long awaits() {
        return afterLarge ? System.nanoTime() : 0;
    }

    /** The first bytes of a record are there. */
    void began(long sinceNanos) {
        if (sinceNanos != 0) {
            silentNanos += System.nanoTime() - sinceNanos;
        }
    }

    /** The receiver begins to read the rest of a record. */
    void reads(int missing) {
        afterLarge = missing >= LARGE_BYTES;
        emptiedNanos = 0;
    }

    /** A read gave less than the rest of the record; {@code there} bytes of it are there. */
    void emptied(int there) {
        if (afterLarge && emptiedNanos == 0) {
            emptiedNanos = System.nanoTime();
            emptiedAt = there;
        }
    }

    /** All {@code there} bytes of the rest are there. */
    void completed(int there) {
        if (emptiedNanos != 0) {
            wireBytes += there - emptiedAt;
            wireNanos += System.nanoTime() - emptiedNanos;
        }
    }

    /** A whole record of that many bytes arrived. */
    void arrived(int length) {
        long before = bytes;
        bytes = before + length;
    }

    Arrivals total() {
        return new Arrivals(bytes, wireBytes, wireNanos, silentNanos);
    }
}
