package io.hearth.collective.schedule;

/**
 * Reduce-scatter between all pairs: each position sends every owner its contribution to that owner's share; owners add in the order of
 * positions. This is the first half of {@link DirectAllReduce}, with the same bits.
 *
 * <p>Only this position's share of the buffer becomes defined. A note to the next position comes first if some positions own nothing. A
 * {@link CompletionBarrier} must follow.
 */
public final class DirectReduceScatter implements Schedule {
    private final int position;
    private final int world;
    private final Owners owners;
    private final Interleaving sends;
    private final Interleaving receives;
    private final int notes;

    /**
     * The part of one position.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectReduceScatter(int position, Shares shares, int elementBytes, int segmentBytes) {
        this.position = position;
        this.world = shares.world();
        this.owners = new Owners(position, shares, elementBytes, segmentBytes);
        this.sends = Interleaving.of(owners.segments(), owners.others());
        this.receives = Interleaving.of(owners.segments(), owners.served());
        this.notes = owners.allOwn() ? 0 : 1;
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
        } else {
            owners.sendContribution(into, sends.segment(entry), sends.item(entry), 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        long entry = index - notes;
        if (entry < 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
        } else {
            owners.receiveContribution(into, receives.segment(entry), receives.item(entry));
        }
    }

    @Override
    public long bytesSent() {
        return owners.contributionBytes();
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : owners.largestBytes(1);
    }
}
