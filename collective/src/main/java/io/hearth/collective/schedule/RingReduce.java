package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * Reduce to a root along the ring, pipelined by segments. From root + 1 on, each position adds its contribution to the received sum, the
 * root last: (x(root+1) op x(root+2)) and so on, op x(root). Every port carries the buffer once.
 *
 * <p>Only the root's buffer becomes defined; the other buffers hold partial sums. Begins with a note to the next position (see {@link
 * Schedule}); a {@link CompletionBarrier} must follow.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param root position that gets the result
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record RingReduce(int position, int world, int root, long count, int elementBytes, int segmentBytes)
        implements Schedule {
    public RingReduce {
        Segments.check(position, world, count, elementBytes, segmentBytes);
        Segments.checkRoot("root", root, world);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : position == root ? 1 : 1 + segments();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : isFirst() ? 1 : 1 + segments();
    }

    @Override
    public void send(long index, Transfer into) {
        int next = Segments.around(position, 1, world);
        if (index == 0) {
            Segments.sendNote(into, next, 0);
        } else {
            cut(into, next, index - 1).sent(isFirst(), isFirst() ? 0 : index + 1);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        int previous = Segments.around(position, -1, world);
        if (index == 0) {
            Segments.receiveNote(into, previous);
        } else {
            cut(into, previous, index - 1).received(Action.COPY_THEN_INPUT, position == root);
        }
    }

    @Override
    public boolean isAround() {
        return true;
    }

    @Override
    public long bytesSent() {
        return position == root ? 0 : bytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes();
    }

    private boolean isFirst() {
        return position == Segments.around(root, 1, world);
    }

    private Transfer cut(Transfer into, int peer, long segment) {
        return Segments.cut(into, peer, root, 0, bytes(), segment, segmentBytes);
    }

    private long segments() {
        return Segments.of(bytes(), segmentBytes);
    }

    private long bytes() {
        return count * elementBytes;
    }
}
