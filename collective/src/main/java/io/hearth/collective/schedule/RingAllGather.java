package io.hearth.collective.schedule;

/**
 * All-gather around the ring, with blocks of any length. In step k position p sends block p - k and receives block p - k - 1 (modulo the
 * world), so that after {@code world - 1} steps all positions have all blocks. A position sends in step k what it received in step k - 1,
 * segment by segment (cut-through).
 *
 * <p>A position sends its own block from the input; its own block of the buffer is not accessed.
 */
public final class RingAllGather implements Ring {
    private final int position;
    private final int world;
    private final Blocks blocks;
    private final BlockRuns runs;

    /**
     * The part of one position.
     *
     * @param position 0 to blocks.world() - 1
     * @param blocks of all positions; the same for all
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public RingAllGather(int position, Blocks blocks, int segmentBytes) {
        Segments.check(position, blocks.world(), segmentBytes);
        this.position = position;
        this.world = blocks.world();
        this.blocks = blocks;
        this.runs = new BlockRuns(blocks, position, -1, segmentBytes);
    }

    @Override
    public long sends() {
        return runs.before(world - 1);
    }

    @Override
    public long receives() {
        return runs.before(world) - runs.before(1);
    }

    @Override
    public void send(long index, Transfer into) {
        boolean own = index < runs.before(1);
        runs.cut(into, Segments.around(position, 1, world), index).sent(own, own ? 0 : index - runs.before(1) + 1);
    }

    @Override
    public void receive(long index, Transfer into) {
        runs.cut(into, Segments.around(position, -1, world), index + runs.before(1))
                .received(Transfer.Action.COPY, false);
    }

    @Override
    public int position() {
        return position;
    }

    @Override
    public int world() {
        return blocks.world();
    }

    @Override
    public long bytesSentBy(int sender) {
        return world == 1 ? 0 : blocks.total() - blocks.length(Segments.around(sender, 1, world));
    }
}
