package io.hearth.collective.schedule;

/**
 * Reduce to a root over a binomial tree, pipelined by segments: the upper half of {@link TreeAllReduce}, for any root.
 *
 * <p>Contributions are added in the order of positions from the root on, in the brackets of {@link BinomialTree}. Only the root's buffer
 * becomes defined; the other buffers hold partial sums. Begins with a note to the next position (see {@link Schedule}); a {@link
 * CompletionBarrier} must follow.
 */
public final class TreeReduce implements Schedule {
    private final int world;
    private final BinomialTree tree;
    private final int children;
    private final long bytes;
    private final int segmentBytes;

    /**
     * The part of one position.
     *
     * @param position 0 to world - 1
     * @param world number of positions; with 1 there is nothing to do
     * @param root position that gets the result
     * @param count elements of the buffer, 0 or more
     * @param elementBytes size of an element
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public TreeReduce(int position, int world, int root, long count, int elementBytes, int segmentBytes) {
        Segments.check(position, world, count, elementBytes, segmentBytes);
        Segments.checkRoot("root", root, world);
        this.world = world;
        this.tree = new BinomialTree(position, world, root);
        this.children = tree.children();
        this.bytes = count * elementBytes;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1 + tree.parents() * segments();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : 1 + children * segments();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(tree.position(), 1, world), 0);
            return;
        }
        cut(into, tree.parent(), index - 1).sent(children == 0, children == 0 ? 0 : 1 + index * children);
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(tree.position(), -1, world));
            return;
        }
        long child = (index - 1) % children;
        cut(into, tree.child(child), (index - 1) / children)
                .received(BinomialTree.action(child), tree.isRoot() && child == children - 1);
    }

    @Override
    public long bytesSent() {
        return tree.parents() * bytes;
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : bytes;
    }

    private Transfer cut(Transfer into, int peer, long segment) {
        return Segments.cut(into, peer, tree.root(), 0, bytes, segment, segmentBytes);
    }

    private long segments() {
        return Segments.of(bytes, segmentBytes);
    }
}
