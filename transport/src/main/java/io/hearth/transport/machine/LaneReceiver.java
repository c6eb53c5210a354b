package io.hearth.transport.machine;

/**
 * The receiving half of a stream of several lanes: puts the records of all lanes in order, each once, and says when to acknowledge.
 *
 * <p>A lane acknowledges its own records by their number, because it delivers in order. The number of records that the user took opens the
 * sender's window. It goes over all lanes, because one of them may be silent.
 *
 * <p>No clock, threads or random source of its own: the shell locks and passes the time. It keeps the records.
 */
public final class LaneReceiver {
    /** Copies in a row that an honest peer cannot exceed: each lane that is suspected or lost sends a window again. */
    static final int COPIES_MAX = 64 * LaneLimits.PLACES;

    /** Records that the user took and that the peer does not know of, so that it is told at once. */
    private static final int NEWS_RECORDS = LaneLimits.WINDOW_RECORDS / 8;

    /** Arrived bytes of a lane that are acknowledged at once. */
    private static final long NEWS_BYTES = 128 * 1024;

    private final boolean[] present = new boolean[LaneLimits.PLACES];
    private final Arrivals[] lanes = new Arrivals[LaneLimits.LANES_MAX];
    private long taken;
    private int copies; // since the last new record

    /** The records of one connection of a lane. */
    private static final class Arrivals {
        private long count;
        private long told;
        private long bytes; // since the last acknowledgement
        private long sinceNanos; // arrival of the oldest record that is not acknowledged
        private long toldTaken;
        private long takenNanos; // when the oldest record was taken that was not told
        private boolean open;

        private boolean isTakenDue(long taken, long nowNanos) {
            long news = taken - toldTaken;
            return news >= NEWS_RECORDS || (news > 0 && nowNanos - takenNanos >= LaneLimits.ACKNOWLEDGE_NANOS);
        }
    }

    public LaneReceiver() {
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = new Arrivals();
        }
    }

    /** A new connection of that lane is open. */
    public void joined(int lane) {
        lanes[lane] = new Arrivals();
        lanes[lane].toldTaken = taken;
        lanes[lane].open = true;
    }

    /** The connection of that lane ended. */
    public void lost(int lane) {
        lanes[lane].open = false;
    }

    /**
     * Counts a record that arrived.
     *
     * @param isLast whether it ends the stream; such a record may exceed the window by one
     * @return whether it is new; the shell then keeps it at its {@link LaneSender#place}
     * @throws IllegalArgumentException an honest peer does not send it
     */
    public boolean arrived(int lane, long sequence, int bytes, boolean isLast, long nowNanos) {
        int window = isLast ? LaneLimits.PLACES : LaneLimits.WINDOW_RECORDS;
        if (sequence < 0 || sequence - taken >= window) {
            throw new IllegalArgumentException(
                    "record " + sequence + " is beyond the window of " + window + " from " + taken);
        }
        Arrivals from = lanes[lane];
        if (from.count == from.told) {
            from.sinceNanos = nowNanos;
        }
        from.count++;
        from.bytes += isLast ? NEWS_BYTES : bytes; // the peer's close waits for its last record
        if (sequence < taken || present[LaneSender.place(sequence)]) {
            copies++;
            if (copies > COPIES_MAX) {
                throw new IllegalArgumentException("sent " + copies + " records again, and nothing new");
            }
            return false;
        }
        copies = 0;
        present[LaneSender.place(sequence)] = true;
        return true;
    }

    /** Whether the record after the last taken one is there. */
    public boolean hasNext() {
        return present[LaneSender.place(taken)];
    }

    /** Takes the next record; returns its sequence number. */
    public long take(long nowNanos) {
        if (!hasNext()) {
            throw new IllegalStateException("record " + taken + " did not arrive yet");
        }
        long sequence = taken;
        present[LaneSender.place(sequence)] = false;
        for (Arrivals lane : lanes) {
            if (lane.toldTaken == taken) {
                lane.takenNanos = nowNanos;
            }
        }
        taken++;
        return sequence;
    }

    /** Number of records that the user took. */
    public long taken() {
        return taken;
    }

    /** Number of records that arrived on the present connection of that lane. */
    public long count(int lane) {
        return lanes[lane].count;
    }

    /** Whether an acknowledgement should go over that lane now. */
    public boolean isDue(int lane, long nowNanos) {
        Arrivals from = lanes[lane];
        boolean isOld = from.count > from.told && nowNanos - from.sinceNanos >= LaneLimits.ACKNOWLEDGE_NANOS;
        return from.open && (isOld || from.bytes >= NEWS_BYTES || from.isTakenDue(taken, nowNanos));
    }

    /** An acknowledgement with {@link #count} and {@link #taken} goes over that lane now. */
    public void told(int lane) {
        lanes[lane].told = lanes[lane].count;
        lanes[lane].bytes = 0;
        lanes[lane].toldTaken = taken;
    }

    /** Whether an acknowledgement will be due. */
    public boolean isWaiting() {
        for (Arrivals lane : lanes) {
            if (lane.open && (lane.count > lane.told || taken > lane.toldTaken)) {
                return true;
            }
        }
        return false;
    }
}
