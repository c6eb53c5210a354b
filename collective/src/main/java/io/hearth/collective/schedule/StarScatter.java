package io.hearth.collective.schedule;

/**
 * Scatter from a root, with blocks of any length: the root sends root + 1, root + 2, … their blocks, one after the other.
 *
 * <p>Each transfer is one of {@link StarGather} in the opposite direction.
 *
 * <p>The root sends from its input, and its own block is not accessed. Begins with a note to the next position (see {@link Schedule}); a
 * {@link CompletionBarrier} must follow.
 */
public final class StarScatter implements Schedule {
    private final StarGather gather;
    private final long bytesSent;

    /**
     * The part of one position.
     *
     * @param position 0 to blocks.world() - 1
     * @param root position that has all blocks
     * @param blocks of all positions; the same for all
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public StarScatter(int position, int root, Blocks blocks, int segmentBytes) {
        this.gather = new StarGather(position, root, blocks, segmentBytes);
        this.bytesSent = position == root ? blocks.total() - blocks.length(root) : 0;
    }

    @Override
    public long sends() {
        return gather.receives();
    }

    @Override
    public long receives() {
        return gather.sends();
    }

    @Override
    public void send(long index, Transfer into) {
        if (index == 0) {
            gather.send(0, into); // the note goes to the next position either way
        } else {
            gather.receive(index, into);
            into.sent(true, 0);
        }
    }

    @Override
    public void receive(long index, Transfer into) {
        if (index == 0) {
            gather.receive(0, into);
        } else {
            gather.send(index, into);
            into.received(Transfer.Action.COPY, false);
        }
    }

    @Override
    public long bytesSent() {
        return bytesSent;
    }

    @Override
    public long bytesToOneMax() {
        return gather.bytesToOneMax();
    }
}
