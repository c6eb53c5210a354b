package io.hearth.collective.schedule;

/**
 * Reduce-scatter between all pairs: each position sends every owner its contribution to that owner's share; owners add in the order of
 * positions. This is the first half of {@link DirectAllReduce}, with the same bits.
 *
 * <p>Only this position's share of the buffer becomes defined. A note to the next position comes first if some positions own nothing. A
 * {@link CompletionBarrier} must follow.
 */
public record DirectReduceScatter(Owners owners, Interleaving sending, Interleaving receiving) implements DirectSum {
    /**
     * The part of one position.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectReduceScatter(int position, Shares shares, int elementBytes, int segmentBytes) {
        var owners = new Owners(position, shares, elementBytes, segmentBytes);
        this(
                owners,
                Interleaving.of(owners.segments(), owners.others()),
                Interleaving.of(owners.segments(), owners.served()));
    }

    @Override
    public long bytesSent() {
        return owners.contributionBytes();
    }

    @Override
    public long bytesToOneMax() {
        return owners.largestBytes(1);
    }
}
