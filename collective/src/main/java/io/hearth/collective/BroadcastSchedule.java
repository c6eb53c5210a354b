package io.hearth.collective;

/**
 * Broadcast along the ring from a root, with the held round that makes it safe to return.
 *
 * <p>Segments run root, root + 1, …, last, cut-through. The last rank has everything only when all have it, and then says HELD
 * to the root, which is its next. Only then the root says DONE, which runs the same way as the data; a rank returns on DONE.
 * So if anybody returned, everybody holds the bytes, and nobody's loss can take them away.
 *
 * @param rank 0 to world - 1
 * @param world number of ranks; with 1 there is nothing to do
 * @param root whose bytes go to all
 * @param bytes size of the buffer
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record BroadcastSchedule(int rank, int world, int root, long bytes, int segmentBytes) implements Schedule {
    private static final int DATA = 0;
    private static final int HELD = 1;
    private static final int DONE = 2;

    public BroadcastSchedule {
        Schedule.check(rank, world, segmentBytes);
        if (root < 0 || root >= world || bytes < 0) {
            throw new IllegalArgumentException(
                    "need a root of 0 to " + (world - 1) + " and no negative size, got " + root + " and " + bytes);
        }
    }

    @Override
    public long sends() {
        if (world == 1) {
            return 0;
        }
        return isLast() ? 1 : segments() + 1;
    }

    @Override
    public long receives() {
        if (world == 1) {
            return 0;
        }
        return rank == root ? 1 : segments() + 1;
    }

    @Override
    public Transfer send(long index) {
        if (isLast()) {
            return token(HELD, segments());
        }
        if (index < segments()) {
            return data(index, rank == root ? 0 : index + 1);
        }
        return token(DONE, receives());
    }

    @Override
    public Transfer receive(long index) {
        if (rank == root) {
            return token(HELD, 0);
        }
        return index < segments() ? data(index, 0) : token(DONE, 0);
    }

    @Override
    public long bytesSent() {
        return world == 1 || isLast() ? 0 : bytes;
    }

    @Override
    public boolean inTurn(int bytesMax) {
        return false; // the ranks between root and last receive before they send
    }

    private boolean isLast() {
        return Math.floorMod(rank - root, world) == world - 1;
    }

    private long segments() {
        return Schedule.segments(bytes, segmentBytes);
    }

    private Transfer data(long index, long after) {
        return Schedule.segment(DATA, 0, bytes, index, segmentBytes, Action.COPY, after);
    }

    private static Transfer token(int kind, long after) {
        return new Transfer(kind, 0, 0, Action.COPY, after);
    }
}
