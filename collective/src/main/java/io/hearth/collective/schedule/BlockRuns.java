package io.hearth.collective.schedule;

/** All blocks in the order of positions from a given one on, each as a run of its segments. */
final class BlockRuns {
    private final Blocks blocks;
    private final int start;
    private final int direction;
    private final int segmentBytes;
    /** first[r] = segments of all runs before r. */
    private final long[] first;

    /**
     * All blocks once.
     *
     * @param start position of the first block
     * @param direction 1 for rising positions, -1 for falling ones
     */
    BlockRuns(Blocks blocks, int start, int direction, int segmentBytes) {
        this.blocks = blocks;
        this.start = start;
        this.direction = direction;
        this.segmentBytes = segmentBytes;
        this.first = new long[blocks.world() + 1];
        for (int run = 0; run < blocks.world(); run++) {
            first[run + 1] = first[run] + Segments.of(blocks.length(block(run)), segmentBytes);
        }
    }

    /** Segments of all runs before {@code run}. */
    long before(int run) {
        return first[run];
    }

    /** The run that segment {@code index} belongs to. */
    int run(long index) {
        int run = 0;
        while (first[run + 1] <= index) {
            run++;
        }
        return run;
    }

    /** Position whose block a run is. */
    int block(int run) {
        return Segments.around(start, (long) direction * run, blocks.world());
    }

    Transfer cut(Transfer into, int peer, long index) {
        int run = run(index);
        int block = block(run);
        return Segments.cut(
                into, peer, block, blocks.offset(block), blocks.length(block), index - first[run], segmentBytes);
    }
}
