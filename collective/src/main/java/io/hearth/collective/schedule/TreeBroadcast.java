package io.hearth.collective.schedule;

/**
 * Broadcast from a root over a binomial tree, pipelined by segments: the lower half of {@link TreeAllReduce}, for any root. It has few
 * hops, but the root sends the whole buffer several times: for small buffers.
 *
 * <p>The root's own buffer is not accessed. Begins with a note to the next position (see {@link Schedule}); a {@link CompletionBarrier}
 * must follow.
 */
public final class TreeBroadcast implements Schedule {
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
     * @param root position whose bytes go to all
     * @param bytes size of the buffer
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public TreeBroadcast(int position, int world, int root, long bytes, int segmentBytes) {
        Segments.check(position, world, segmentBytes);
        Segments.checkBytes(world, bytes);
        Segments.checkRoot("root", root, world);
        this.world = world;
        this.tree = new BinomialTree(position, world, root);
        this.children = tree.children();
        this.bytes = bytes;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : 1 + children * segments();
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : 1 + tree.parents() * segments();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(tree.position(), 1, world), 0);
            return;
        }
        long segment = (index - 1) / children;
        int child = children - 1 - (int) ((index - 1) % children);
        cut(into, tree.child(child), segment).sent(tree.isRoot(), tree.isRoot() ? 0 : segment + 2);
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(tree.position(), -1, world));
        } else {
            cut(into, tree.parent(), index - 1).received(Transfer.Action.COPY, false);
        }
    }

    @Override
    public long bytesSent() {
        return children * bytes;
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
