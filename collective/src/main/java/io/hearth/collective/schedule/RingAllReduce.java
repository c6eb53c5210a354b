package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * All-reduce round the ring: reduce-scatter, then all-gather, pipelined by segments. The least bytes through every port, and
 * each port has one other end, so nothing meets in a switch.
 *
 * <p>The buffer is cut into one chunk per position. In step k position p sends chunk p - k and receives chunk p - k - 1 (modulo
 * the world). After {@code world - 1} steps of adding, p owns the complete chunk p + 1; {@code world - 1} steps of copying carry
 * the owners' bytes to all. Chunk c is added in one fixed order, xc first, then x(c+1) op that, and so on round the ring, and
 * its owner's bytes go to all: hence bit-identical. What is sent in step k is what came in step k - 1, segment by segment, so a
 * segment is passed on as soon as it was added (cut-through).
 *
 * <p>All chunks take the same number of segments: shorter chunks have shorter or empty last ones. With fewer elements than
 * positions, and with none at all, empty segments still travel.
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
        implements Schedule {
    public RingAllReduce {
        Segments.check(position, world, count, elementBytes, segmentBytes);
    }

    @Override
    public long sends() {
        return 2L * (world - 1) * segmentsPerChunk();
    }

    @Override
    public long receives() {
        return sends();
    }

    @Override
    public void send(long index, Transfer into) {
        long segments = segmentsPerChunk();
        long step = index / segments;
        cut(into, Segments.around(position, 1, world), Segments.around(position, -step, world), index % segments)
                .sent(step == 0, step == 0 ? 0 : index - segments + 1);
    }

    @Override
    public void receive(long index, Transfer into) {
        long segments = segmentsPerChunk();
        long step = index / segments;
        cut(into, Segments.around(position, -1, world), Segments.around(position, -step - 1, world), index % segments)
                .received(step < world - 1 ? Action.COMBINE_WITH_INPUT : Action.COPY, step == world - 2);
    }

    @Override
    public long bytesSent() {
        return bytesSentBy(position);
    }

    @Override
    public long bytesToOneMax() {
        long most = 0;
        for (int sender = 0; sender < world; sender++) {
            most = Math.max(most, bytesSentBy(sender));
        }
        return most;
    }

    /** Both halves send all chunks but one: the one that ends here. */
    private long bytesSentBy(int sender) {
        return world == 1
                ? 0
                : 2 * count * elementBytes
                        - chunkBytes(Segments.around(sender, 1, world))
                        - chunkBytes(Segments.around(sender, 2, world));
    }

    private Transfer cut(Transfer into, int peer, int chunk, long segment) {
        long start = (chunk * (count / world) + Math.min(chunk, count % world)) * elementBytes;
        return Segments.cut(into, peer, chunk, start, chunkBytes(chunk), segment, segmentBytes);
    }

    /** Chunk 0 is never shorter than another one. */
    private long segmentsPerChunk() {
        return Segments.of(chunkBytes(0), segmentBytes);
    }

    private long chunkBytes(int chunk) {
        return (count / world + (chunk < count % world ? 1 : 0)) * elementBytes;
    }
}
