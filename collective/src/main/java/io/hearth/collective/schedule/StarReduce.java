package io.hearth.collective.schedule;

/**
 * Reduce to a root: all positions send to it directly, and it adds in the order of positions ({@link PositionOrder}). This is the first
 * half of {@link StarAllReduce}, with the same bits.
 *
 * <p>Positions other than the root need no buffer. Begins with a note to the next position (see {@link Schedule}); a {@link
 * CompletionBarrier} must follow.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param root position that gets the result
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record StarReduce(int position, int world, int root, long count, int elementBytes, int segmentBytes)
        implements Schedule {
    public StarReduce {
        Segments.check(position, world, count, elementBytes, segmentBytes);
        Segments.checkRoot("root", root, world);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : position == root ? 1 : 1 + segments();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : position == root ? 1 + (world - 1) * segments() : 1;
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
        } else {
            cut(into, root, index - 1).sent(true, 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
            return;
        }
        int from = Segments.other(root, (index - 1) % (world - 1));
        cut(into, from, (index - 1) / (world - 1))
                .received(PositionOrder.action(root, from), PositionOrder.isLast(root, from, world));
    }

    @Override
    public long bytesSent() {
        return position == root ? 0 : bytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes();
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
