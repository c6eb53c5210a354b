package io.hearth.collective.schedule;

/**
 * All-reduce among all pairs: each position sends every owner its contribution to that owner's share, and every owner sends its
 * result to all. Two hops whatever the world, and shares may differ: with weights a slow port moves less than others, which no
 * ring can do. Its price is that several senders meet at one port.
 *
 * <p>Owners add in the order of positions ({@link PositionOrder}), so the bits depend neither on arrival nor on shares nor on the
 * order of a ring. Segment by segment: contributions to segment t of all shares, then results of segment t - 1 ({@link
 * Interleaving}), so results travel while later contributions come in.
 *
 * <p>An owner that gathers pieces has results later, by the segments of a piece. Its results would be waited for by others that have
 * more to send to it, so all follow the one that is the latest: each tells the others its {@link #lag} with its first segment. What
 * comes before anybody's first result is the same for all, and needs no such agreement.
 *
 * <p>Where some own nothing, they hear from owners only, and a note to the next position comes first (see {@link Schedule}); nobody's
 * results come later there.
 *
 * <p>The reduce-scatter and all-gather of Rabenseifner, "Optimization of collective reduction operations", 2004, over direct
 * exchanges instead of halving and doubling.
 */
public final class DirectAllReduce implements Gathering {
    private final int position;
    private final int world;
    private final Owners owners;
    private final int notes;
    private volatile Halves halves; // set by whoever receives before its receive counts, read by the sender too

    /** Both sequences. */
    private record Halves(Interleaving sends, Interleaving receives) {}

    /**
     * The part of one position, contributions added as they come.
     *
     * @param position 0 to shares.world() - 1
     * @param shares who owns what; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllReduce(int position, Shares shares, int elementBytes, int segmentBytes) {
        this(position, shares, elementBytes, segmentBytes, Long.MAX_VALUE);
    }

    /**
     * The same in pieces.
     *
     * @param pieceBytesMin 1 or more; if its share is as large, this position gathers pieces of at least so much. Others may have
     *     another one
     */
    public DirectAllReduce(int position, Shares shares, int elementBytes, int segmentBytes, long pieceBytesMin) {
        this.position = position;
        this.world = shares.world();
        var wanted = new Owners(position, shares, elementBytes, segmentBytes, pieceBytesMin);
        this.owners = wanted.allOwn() || wanted.lag() == 1
                ? wanted
                : new Owners(position, shares, elementBytes, segmentBytes, Long.MAX_VALUE);
        this.notes = owners.allOwn() ? 0 : 1;
        this.halves = halves(owners.lag());
    }

    private Halves halves(long lag) {
        return new Halves(
                new Interleaving(owners.segments(), lag, owners.others(), owners.served()),
                new Interleaving(owners.segments(), lag, owners.served(), owners.others()));
    }

    @Override
    public long pieceBytesMax() {
        return owners.pieceBytesMax();
    }

    @Override
    public long lag() {
        return owners.lag();
    }

    @Override
    public void agree(long lag) {
        if (lag < owners.lag()) {
            throw new IllegalArgumentException("a lag of " + owners.lag() + " segments was asked for, got " + lag);
        }
        halves = halves(lag);
    }

    @Override
    public long sends() {
        return notes + halves.sends.total();
    }

    @Override
    public long receives() {
        return notes + halves.receives.total();
    }

    @Override
    public void send(long index, Transfer into) {
        long entry = index - notes;
        if (entry < 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
            return;
        }
        Halves now = halves;
        Interleaving sends = now.sends;
        long segment = sends.segment(entry);
        if (sends.isSecond(entry)) {
            long after = now.receives.firstIndex(owners.completing(segment), world - 1);
            owners.sendResult(into, segment, sends.item(entry), notes + after);
        } else {
            owners.sendContribution(into, segment, sends.item(entry), 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        Interleaving receives = halves.receives;
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
