package io.hearth.collective.schedule;

/**
 * All-reduce over a binomial tree: sums go up to position 0, and the result comes back down, pipelined by segments. The number of hops is
 * twice the logarithm of the world, with few messages for each member: for small buffers in large worlds.
 *
 * <p>Each position adds its children's sums to its own contribution in rising order. So there is one fixed bracketing in the order of
 * positions, and the root's bytes go to all ({@link BinomialTree}). Results come down N segments later, where N is the tree's number of
 * hops up and down ({@link Interleaving}). So no position stops sending up to wait for the root.
 *
 * <p>Begins with a note to the next position (see {@link Schedule}).
 *
 * <p>Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.
 */
public final class TreeAllReduce implements Schedule {
    private static final int ROOT = 0;

    private final int world;
    private final BinomialTree tree;
    private final long bytes;
    private final int segmentBytes;
    private final int children;
    private final Interleaving sends;
    private final Interleaving receives;

    /**
     * The part of one position.
     *
     * @param position 0 to world - 1
     * @param world number of positions; with 1 there is nothing to do
     * @param count elements of the buffer, 0 or more
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public TreeAllReduce(int position, int world, long count, int elementBytes, int segmentBytes) {
        Segments.check(position, world, count, elementBytes, segmentBytes);
        this.world = world;
        this.tree = new BinomialTree(position, world, ROOT);
        this.bytes = count * elementBytes;
        this.segmentBytes = segmentBytes;
        this.children = tree.children();
        long segments = Segments.of(bytes, segmentBytes);
        long hops = 2L * (32 - Integer.numberOfLeadingZeros(world - 1));
        this.sends = new Interleaving(segments, Math.max(1, hops), tree.parents(), children);
        this.receives = new Interleaving(segments, Math.max(1, hops), children, tree.parents());
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1 + sends.total();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : 1 + receives.total();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(tree.position(), 1, world), 0);
            return;
        }
        long segment = sends.segment(index - 1);
        if (sends.isSecond(index - 1)) {
            long after = tree.isRoot() ? receives.firstIndex(segment, children) : receives.secondIndex(segment, 1);
            cut(into, tree.child(children - 1 - sends.item(index - 1)), segment).sent(false, 1 + after);
        } else {
            long after = children == 0 ? 0 : 1 + receives.firstIndex(segment, children);
            cut(into, tree.parent(), segment).sent(children == 0, after);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(tree.position(), -1, world));
            return;
        }
        long segment = receives.segment(index - 1);
        if (receives.isSecond(index - 1)) {
            cut(into, tree.parent(), segment).received(Transfer.Action.COPY, false);
        } else {
            long child = receives.item(index - 1);
            cut(into, tree.child(child), segment)
                    .received(BinomialTree.action(child), tree.isRoot() && child == children - 1);
        }
    }

    @Override
    public long bytesSent() {
        return (tree.parents() + children) * bytes;
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes;
    }

    private Transfer cut(Transfer into, int peer, long segment) {
        return Segments.cut(into, peer, ROOT, 0, bytes, segment, segmentBytes);
    }
}
