package io.hearth.collective.schedule;

/**
 * All-reduce around the ring: reduce-scatter, then all-gather, pipelined by segments. It moves the fewest bytes through every port. Each
 * port receives from one other port only, so no senders meet in a switch.
 *
 * <p>The buffer is cut into one chunk per position. In step k position p sends chunk p - k and receives chunk p - k - 1 (modulo the world).
 * After {@code world - 1} steps of adding, p owns the complete chunk p + 1; {@code world - 1} steps of copying carry the owners' bytes to
 * all. Chunk c is added in one fixed order, xc first, then x(c+1) op that, and so on around the ring. All positions get its owner's bytes,
 * so the results are bit-identical. A position sends in step k what it received in step k - 1, and forwards each segment as soon as it has
 * added it (cut-through).
 *
 * <p>All chunks have the same number of segments; the last segments of a shorter chunk are shorter or empty. With fewer elements than
 * positions, and with no elements at all, empty segments still travel.
 *
 * <p>Patarasu and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
 *
 * @param position 0 to world - 1
 * @param world number of positions; with 1 there is nothing to do
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record RingAllReduce(int position, int world, long count, int elementBytes, int segmentBytes)
        implements RingSum {
    public RingAllReduce {
        Segments.check(position, world, count, elementBytes, segmentBytes);
    }

    @Override
    public int steps() {
        return 2 * (world - 1);
    }

    @Override
    public int firstChunk() {
        return position;
    }

    /** Counts those of chunk 0, which is never shorter than another one. */
    @Override
    public long segmentsPerChunk() {
        return Segments.of(chunkBytes(0), segmentBytes);
    }

    /** Each half sends all chunks but one: the one that ends at the next position. */
    @Override
    public long bytesSentBy(int sender) {
        return world == 1
                ? 0
                : 2 * count * elementBytes
                        - chunkBytes(Segments.around(sender, 1, world))
                        - chunkBytes(Segments.around(sender, 2, world));
    }

    @Override
    public Transfer cut(Transfer into, int peer, int chunk, long segment) {
        long start = (chunk * (count / world) + Math.min(chunk, count % world)) * elementBytes;
        return Segments.cut(into, peer, chunk, start, chunkBytes(chunk), segment, segmentBytes);
    }

    private long chunkBytes(int chunk) {
        return (count / world + (chunk < count % world ? 1 : 0)) * elementBytes;
    }
}
