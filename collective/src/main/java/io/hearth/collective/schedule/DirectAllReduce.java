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
public final class DirectAllReduce implements Schedule {
    private final int position;
    private final int world;
    private final Owners owners;
    private final int notes;
    private final Interleaving sends;
    private final Interleaving receives;

    /**
     * The part of one position.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllReduce(int position, Shares shares, int elementBytes, int segmentBytes) {
        this.position = position;
        this.world = shares.world();
        this.owners = new Owners(position, shares, elementBytes, segmentBytes);
        this.notes = owners.allOwn() ? 0 : 1;
        this.sends = new Interleaving(owners.segments(), 1, owners.others(), owners.served());
        this.receives = new Interleaving(owners.segments(), 1, owners.served(), owners.others());
    }

    @Override
    public long sends() {
        return notes + sends.total();
    }

    @Override
    public long receives() {
        return notes + receives.total();
    }

    @Override
    public void send(long index, Transfer into) {
        long entry = index - notes;
        if (entry < 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
            return;
        }
        long segment = sends.segment(entry);
        if (sends.isSecond(entry)) {
            long after = receives.firstIndex(segment, world - 1);
            owners.sendResult(into, segment, sends.item(entry), notes + after);
        } else {
            owners.sendContribution(into, segment, sends.item(entry), 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        long entry = index - notes;
        if (entry < 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
        } else if (receives.isSecond(entry)) {
            owners.receiveResult(into, receives.segment(entry), receives.item(entry));
        } else {
            owners.receiveContribution(into, receives.segment(entry), receives.item(entry));
        }
    }

    @Override
    public long bytesSent() {
        return owners.contributionBytes() + owners.resultBytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : owners.largestBytes(2);
    }
}
