package io.hearth.collective.schedule;

/**
 * Reduce-scatter around the ring. In step k position p sends share p - 1 - k and receives share p - 2 - k (modulo the world); after the
 * last of {@code world - 1} steps its own share is complete. Share c is added from x(c+1) on around the ring, xc last: x(c+2) op x(c+1),
 * and so on; a position's contribution is the left operand, the received sum the right one.
 *
 * <p>All shares have the same number of segments as the largest one, also empty shares. Only this position's share of the buffer becomes
 * defined; the rest holds partial sums. A {@link CompletionBarrier} must follow.
 *
 * <p>The first half of Patarasu and Yuan's ring, see {@link RingAllReduce}.
 */
public final class RingReduceScatter implements RingSum {
    private final int position;
    private final Shares shares;
    private final int elementBytes;
    private final int segmentBytes;
    private final long segments;

    /**
     * The part of one position.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public RingReduceScatter(int position, Shares shares, int elementBytes, int segmentBytes) {
        Segments.check(position, shares.world(), shares.total(), elementBytes, segmentBytes);
        this.position = position;
        this.shares = shares;
        this.elementBytes = elementBytes;
        this.segmentBytes = segmentBytes;
        this.segments = Segments.of(shares.largest() * elementBytes, segmentBytes);
    }

    @Override
    public int position() {
        return position;
    }

    @Override
    public long segmentsPerChunk() {
        return segments;
    }

    @Override
    public int world() {
        return shares.world();
    }

    @Override
    public int steps() {
        return world() - 1;
    }

    @Override
    public int firstChunk() {
        return Segments.around(position, -1, world());
    }

    @Override
    public long bytesSentBy(int sender) {
        return (shares.total() - shares.count(sender)) * elementBytes;
    }

    @Override
    public Transfer cut(Transfer into, int peer, int share, long segment) {
        return Segments.cut(
                into,
                peer,
                share,
                shares.start(share) * elementBytes,
                shares.count(share) * elementBytes,
                segment,
                segmentBytes);
    }
}
