package io.hearth.collective.schedule;

/**
 * From one position to one other; nothing for the rest but the note to the next position with which it begins (see {@link Schedule}).
 * A {@link HeldRound} has to follow.
 *
 * @param position 0 to world - 1
 * @param world number of positions, 2 or more
 * @param from position that sends from its input
 * @param to position that receives into its buffer; another one
 * @param bytes to send
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record SendReceive(int position, int world, int from, int to, long bytes, int segmentBytes) implements Schedule {
    public SendReceive {
        Segments.check(position, world, segmentBytes);
        Segments.checkBytes(world, bytes);
        Segments.checkRoot("sender", from, world);
        Segments.checkRoot("receiver", to, world);
        if (from == to) {
            throw new IllegalArgumentException("position " + from + " cannot send to itself: name another receiver");
        }
    }

    @Override
    public long sends() {
        return position == from ? 1 + Segments.of(bytes, segmentBytes) : 1;
    }

    @Override
    public long receives() {
        return position == to ? 1 + Segments.of(bytes, segmentBytes) : 1;
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
        } else {
            Segments.cut(into, to, from, 0, bytes, index - 1, segmentBytes).sent(true, 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
        } else {
            Segments.cut(into, from, from, 0, bytes, index - 1, segmentBytes).received(Transfer.Action.COPY, false);
        }
    }

    @Override
    public long bytesSent() {
        return position == from ? bytes : 0;
    }

    @Override
    public long bytesToOneMax() {
        return bytes;
    }
}
