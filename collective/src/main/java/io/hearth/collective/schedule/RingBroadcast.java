package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * Broadcast along the ring from a root, pipelined by segments, with a completion round of its own that makes it safe to return.
 *
 * <p>Segments run root, root + 1, …, last, cut-through. When the last position has everything, all positions have it. It then sends a note
 * to the root, which is its next position. Only then the root sends a note to all, along the same path as the data; a position completes
 * the schedule when this note arrives. So if any position has completed, all hold the bytes, and no loss can take them away. This takes one
 * message for each position instead of the {@code world - 1} of a {@link CompletionBarrier}, which must not follow.
 *
 * <p>The root's own buffer is not accessed. Begins with a note to the next position (see {@link Schedule}): otherwise two positions that
 * each expect another root would both wait.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param root position whose bytes go to all
 * @param bytes size of the buffer
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record RingBroadcast(int position, int world, int root, long bytes, int segmentBytes) implements Schedule {
    public RingBroadcast {
        Segments.check(position, world, segmentBytes);
        Segments.checkBytes(world, bytes);
        Segments.checkRoot("root", root, world);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : isLast() ? 2 : segments() + 2;
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : position == root ? 2 : segments() + 2;
    }

    @Override
    public void send(long index, Transfer into) {
        int next = Segments.around(position, 1, world);
        if (index == 0) {
            Segments.sendNote(into, next, 0);
        } else if (isLast()) {
            Segments.sendNote(into, next, 1 + segments());
        } else if (index <= segments()) {
            cut(into, next, index - 1).sent(position == root, position == root ? 0 : index + 1);
        } else {
            Segments.sendNote(into, next, receives());
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        int previous = Segments.around(position, -1, world);
        if (index == 0 || position == root || index > segments()) {
            Segments.receiveNote(into, previous);
        } else {
            cut(into, previous, index - 1).received(Action.COPY, false);
        }
    }

    @Override
    public boolean isAround() {
        return true;
    }

    @Override
    public long bytesSent() {
        return world == 1 || isLast() ? 0 : bytes;
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes;
    }

    private boolean isLast() {
        return position == Segments.around(root, -1, world);
    }

    private long segments() {
        return Segments.of(bytes, segmentBytes);
    }

    private Transfer cut(Transfer into, int peer, long segment) {
        return Segments.cut(into, peer, root, 0, bytes, segment, segmentBytes);
    }
}
