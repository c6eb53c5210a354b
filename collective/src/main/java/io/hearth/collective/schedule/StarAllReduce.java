package io.hearth.collective.schedule;

/**
 * All-reduce through one centre: all positions send to it; it adds in the order of positions ({@link PositionOrder}) and sends the result
 * back, segment by segment. For one strong machine among weak ones; the centre's port carries all bytes.
 *
 * <p>Begins with a note to the next position (see {@link Schedule}).
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param centre position that adds
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record StarAllReduce(int position, int world, int centre, long count, int elementBytes, int segmentBytes)
        implements Schedule {
    public StarAllReduce {
        Segments.check(position, world, count, elementBytes, segmentBytes);
        Segments.checkRoot("centre", centre, world);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1 + peers() * Segments.of(bytes(), segmentBytes);
    }

    @Override
    public long receives() {
        return sends();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
        } else if (position == centre) {
            long segment = (index - 1) / peers();
            int to = Segments.around(centre, (index - 1) % peers() + 1, world);
            cut(into, to, segment).sent(false, 1 + (segment + 1) * peers());
        } else {
            cut(into, centre, index - 1).sent(true, 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
        } else if (position == centre) {
            int from = Segments.other(centre, (index - 1) % peers());
            cut(into, from, (index - 1) / peers())
                    .received(PositionOrder.action(centre, from), PositionOrder.isLast(centre, from, world));
        } else {
            cut(into, centre, index - 1).received(Transfer.Action.COPY, false);
        }
    }

    @Override
    public long bytesSent() {
        return peers() * bytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes();
    }

    private int peers() {
        return position == centre ? world - 1 : Math.min(1, world - 1);
    }

    private Transfer cut(Transfer into, int peer, long segment) {
        return Segments.cut(into, peer, centre, 0, bytes(), segment, segmentBytes);
    }

    private long bytes() {
        return count * elementBytes;
    }
}
