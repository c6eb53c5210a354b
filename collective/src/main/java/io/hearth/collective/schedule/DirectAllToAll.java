package io.hearth.collective.schedule;

/**
 * All-to-all between all pairs, in one hop. In step k, from 1, position p sends its block for p + k and receives the block of p - k (modulo
 * the world). No two positions send to the same one in one step.
 *
 * <p>Input and buffer are turned, so that a segment has one offset at both ends: block k of the input is for position p + k, and block k of
 * the buffer is from position p - k. Block 0, of a position for itself, is not accessed.
 */
public final class DirectAllToAll implements Schedule {
    private final int position;
    private final int world;
    private final long blockBytes;
    private final int segmentBytes;
    private final long segments;

    /**
     * The part of one position.
     *
     * @param position 0 to world - 1
     * @param blockBytes bytes of each block, 0 or more; the same for all
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public DirectAllToAll(int position, int world, long blockBytes, int segmentBytes) {
        Segments.check(position, world, segmentBytes);
        Segments.checkBytes(world, blockBytes);
        this.position = position;
        this.world = world;
        this.blockBytes = blockBytes;
        this.segmentBytes = segmentBytes;
        this.segments = Math.max(1, Math.ceilDiv(blockBytes, segmentBytes));
    }

    @Override
    public long sends() {
        return (world - 1) * segments;
    }

    @Override
    public long receives() {
        return sends();
    }

    @Override
    public void send(long index, Transfer into) {
        long step = index / segments + 1;
        cut(into, Segments.around(position, step, world), position, step, index).sent(true, 0);
    }

    @Override
    public void receive(long index, Transfer into) {
        long step = index / segments + 1;
        int from = Segments.around(position, -step, world);
        cut(into, from, from, step, index).received(Transfer.Action.COPY, false);
    }

    private Transfer cut(Transfer into, int peer, int sender, long step, long index) {
        return Segments.cut(into, peer, sender, step * blockBytes, blockBytes, index % segments, segmentBytes);
    }

    @Override
    public long bytesSent() {
        return (world - 1) * blockBytes;
    }

    @Override
    public long bytesToOneMax() {
        return world == 1 ? 0 : blockBytes;
    }
}
