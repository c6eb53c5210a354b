package io.hearth.collective.schedule;

/**
 * Gather at a root, with blocks of any length: each position sends its block to the root. The root reads the blocks of root + 1, root + 2,
 * … one after the other, because its port carries one at a time anyway.
 *
 * <p>A position sends from its input. The root's own block is not accessed, and the other positions need no buffer. Begins with a note to
 * the next position (see {@link Schedule}); a {@link CompletionBarrier} must follow.
 */
public final class StarGather implements Schedule {
    private final int position;
    private final int world;
    private final int root;
    private final Blocks blocks;
    private final int segmentBytes;
    private final BlockRuns runs;

    /**
     * The part of one position.
     *
     * @param position 0 to blocks.world() - 1
     * @param root position that gets all blocks
     * @param blocks of all positions; the same for all
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public StarGather(int position, int root, Blocks blocks, int segmentBytes) {
        Segments.check(position, blocks.world(), segmentBytes);
        Segments.checkRoot("root", root, blocks.world());
        this.position = position;
        this.world = blocks.world();
        this.root = root;
        this.blocks = blocks;
        this.segmentBytes = segmentBytes;
        this.runs = new BlockRuns(blocks, root, 1, segmentBytes);
    }

    @Override
    public long sends() {
        return world == 1 ? 0 : position == root ? 1 : 1 + Segments.of(blocks.length(position), segmentBytes);
    }

    @Override
    public long receives() {
        return world == 1 ? 0 : position == root ? 1 + runs.before(world) - runs.before(1) : 1;
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            Segments.sendNote(into, Segments.around(position, 1, world), 0);
        } else {
            Segments.cut(
                            into,
                            root,
                            position,
                            blocks.offset(position),
                            blocks.length(position),
                            index - 1,
                            segmentBytes)
                    .sent(true, 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            Segments.receiveNote(into, Segments.around(position, -1, world));
        } else {
            long segment = index - 1 + runs.before(1);
            runs.cut(into, runs.block(runs.run(segment)), segment).received(Transfer.Action.COPY, false);
        }
    }

    @Override
    public long bytesSent() {
        return position == root ? 0 : blocks.length(position);
    }

    @Override
    public long bytesToOneMax() {
        return blocks.longestBut(root);
    }
}
