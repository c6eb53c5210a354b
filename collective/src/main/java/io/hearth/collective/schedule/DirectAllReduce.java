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
 * <p>An owner that gathers pieces has its results later, by the number of segments of a piece. Other positions would wait for them while
 * they still have contributions to send, so all positions use the greatest lag: each sends its {@link #lag} with its first segment. The
 * entries before any position's first result are the same for all lags, and need no such agreement.
 *
 * <p>If some positions own nothing, they receive from owners only, and a note to the next position comes first (see {@link Schedule}); in
 * this case no owner has a lag above 1.
 *
 * <p>The reduce-scatter and all-gather of Rabenseifner, "Optimization of collective reduction operations", 2004, with direct exchanges
 * instead of halving and doubling.
 */
public final class DirectAllReduce implements Gathering {
    private final int position;
    private final int world;
    private final Owners owners;
    private final int notes;
    private volatile Halves halves; // set by the receiving thread before its receive counts, read by the sender too

    /** The sequences of sends and of receives. */
    private record Halves(Interleaving sends, Interleaving receives) {}

    /**
     * The part of one position, which adds contributions as they arrive.
     *
     * @param position 0 to shares.world() - 1
     * @param shares of all positions; the same for all
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllReduce(int position, Shares shares, int elementBytes, int segmentBytes) {
        this(position, shares, elementBytes, segmentBytes, Long.MAX_VALUE);
    }

    /**
     * The part of one position, which gathers contributions in pieces.
     *
     * @param pieceBytesMin 1 or more; if this position's share is as large, it gathers pieces of at least this size. Other positions may
     *     use another value
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
            throw new IllegalArgumentException(
                    "lag must be at least this position's " + owners.lag() + " segments, got " + lag);
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
