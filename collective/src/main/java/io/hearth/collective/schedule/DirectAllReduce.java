package io.hearth.collective.schedule;

/**
 * All-reduce between all pairs: each position sends every owner its contribution to that owner's share, and every owner sends its result to
 * all. It takes two hops in a world of any size. Shares may differ: with weights a slow port moves fewer bytes than others, which is
 * impossible on a ring. The price is that several senders meet at one port.
 *
 * <p>Owners add in the order of positions ({@link PositionOrder}), so the bits depend neither on arrival nor on shares nor on the order of
 * a ring. Positions send contributions to segment t of all shares, then results of segment t - 1 ({@link Interleaving}), so results travel
 * while later contributions come in.
 *
 * <p>If some positions own nothing, they receive from owners only, and a note to the next position comes first (see {@link Schedule}).
 *
 * <p>The reduce-scatter and all-gather of Rabenseifner, "Optimization of collective reduction operations", 2004, with direct exchanges
 * instead of halving and doubling.
 */
public record DirectAllReduce(Owners owners, Interleaving sending, Interleaving receiving) implements DirectSum {
    /**
     * The part of one position.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllReduce(int position, Shares shares, int elementBytes, int segmentBytes) {
        var owners = new Owners(position, shares, elementBytes, segmentBytes);
        this(
                owners,
                new Interleaving(owners.segments(), 1, owners.others(), owners.served()),
                new Interleaving(owners.segments(), 1, owners.served(), owners.others()));
    }

    @Override
    public long bytesSent() {
        return owners.contributionBytes() + owners.resultBytes();
    }

    @Override
    public long bytesToOneMax() {
        return owners.largestBytes(2);
    }
}
