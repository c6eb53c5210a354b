package io.hearth.collective.schedule;

/**
 * All-reduce in one hop: each position sends its whole input to all others and adds all inputs in the order of positions ({@link
 * PositionOrder}). So all get the same bits, and the same as from {@link DirectAllReduce} and {@link StarAllReduce}. The fastest for
 * buffers so small that only latency counts; with 0 elements it is a barrier.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record WholeExchange(int position, int world, long count, int elementBytes, int segmentBytes)
        implements Schedule {
    public WholeExchange {
        Segments.check(position, world, count, elementBytes, segmentBytes);
    }

    /** A schedule without bytes: a position that completes it knows that all members began it. */
    public static WholeExchange barrier(int position, int world) {
        return new WholeExchange(position, world, 0, 1, 8);
    }

    @Override
    public long sends() {
        return (world - 1) * Segments.of(bytes(), segmentBytes);
    }

    @Override
    public long receives() {
        return sends();
    }

    @Override
    public void send(long index, Transfer into) {
        int to = Segments.around(position, index % (world - 1) + 1, world);
        cut(into, to, position, index / (world - 1)).sent(true, 0);
    }

    @Override
    public void receive(long index, Transfer into) {
        int from = Segments.other(position, index % (world - 1));
        cut(into, from, from, index / (world - 1))
                .received(PositionOrder.action(position, from), PositionOrder.isLast(position, from, world));
    }

    @Override
    public long bytesSent() {
        return (world - 1) * bytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes();
    }

    private Transfer cut(Transfer into, int peer, int chunk, long segment) {
        return Segments.cut(into, peer, chunk, 0, bytes(), segment, segmentBytes);
    }

    private long bytes() {
        return count * elementBytes;
    }
}
