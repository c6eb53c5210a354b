package io.hearth.collective.schedule;

/**
 * All-gather between all pairs, with blocks of any length, in one hop. In step k, from 1, position p sends its block to p + k and receives
 * the block of p - k (modulo the world). No two positions send to the same one in one step. For small blocks.
 *
 * <p>A position sends its own block from the input; its own block of the buffer is not accessed.
 */
public final class DirectAllGather implements Schedule {
    private final int position;
    private final int world;
    private final Blocks blocks;
    private final int segmentBytes;
    private final long segments;
    private final BlockRuns runs;

    /**
     * The part of one position.
     *
     * @param position 0 to blocks.world() - 1
     * @param blocks of all positions; the same for all
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllGather(int position, Blocks blocks, int segmentBytes) {
        Segments.check(position, blocks.world(), segmentBytes);
        this.position = position;
        this.world = blocks.world();
        this.blocks = blocks;
        this.segmentBytes = segmentBytes;
        this.runs = new BlockRuns(blocks, position, -1, segmentBytes);
        this.segments = runs.before(1);
    }

    @Override
    public long sends() {
        return (world - 1) * segments;
    }

    @Override
    public long receives() {
        return runs.before(world) - segments;
    }

    @Override
    public void send(long index, Transfer into) {
        int to = Segments.around(position, index / segments + 1, world);
        Segments.cut(
                        into,
                        to,
                        position,
                        blocks.offset(position),
                        blocks.length(position),
                        index % segments,
                        segmentBytes)
                .sent(true, 0);
    }

    @Override
    public void receive(long index, Transfer into) {
        int from = runs.block(runs.run(index + segments));
        runs.cut(into, from, index + segments).received(Transfer.Action.COPY, false);
    }

    @Override
    public long bytesSent() {
        return (world - 1) * blocks.length(position);
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : blocks.longest();
    }
}
