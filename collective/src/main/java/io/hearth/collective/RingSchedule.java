package io.hearth.collective;

/**
 * Ring all-reduce: reduce-scatter, then all-gather, pipelined by segments.
 *
 * <p>The buffer is cut into one chunk per rank. In step k rank r sends chunk r - k and receives chunk r - k - 1 (modulo the
 * world). After {@code world - 1} steps of adding, rank r owns the complete chunk r + 1; {@code world - 1} steps of copying
 * carry the owners' bytes to all. Chunk c is added in one fixed order, starting with rank c, by one chain of ranks, and its
 * owner's bytes go to all: hence bit-identical. What is sent in step k is what came in step k - 1, segment by segment, so a
 * segment is passed on as soon as it was added (cut-through).
 *
 * <p>All chunks take the same number of segments: shorter chunks have shorter or empty last ones. With fewer elements than
 * ranks, and with none at all, empty segments still travel: whoever is through knows that all ranks called. So a barrier is
 * this with 0 elements.
 *
 * <p>Patarasu and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
 *
 * @param rank 0 to world - 1
 * @param world number of ranks; with 1 there is nothing to do
 * @param count elements of the buffer, 0 or more
 * @param elementBytes size of an element
 * @param segmentBytes most bytes of a segment, a multiple of 8
 */
public record RingSchedule(int rank, int world, long count, int elementBytes, int segmentBytes) implements Schedule {
    public RingSchedule {
        Schedule.check(rank, world, segmentBytes);
        if (count < 0 || elementBytes < 1 || count > Long.MAX_VALUE / elementBytes) {
            throw new IllegalArgumentException("no buffer has " + count + " elements of " + elementBytes + " bytes");
        }
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
    public Transfer send(long index) {
        long step = index / segmentsPerChunk();
        long after = step == 0 ? 0 : index - segmentsPerChunk() + 1;
        return transfer(Math.floorMod(rank - step, world), index, Action.COPY, after);
    }

    @Override
    public Transfer receive(long index) {
        long step = index / segmentsPerChunk();
        Action action = step < world - 2 ? Action.REDUCE : step == world - 2 ? Action.REDUCE_LAST : Action.COPY;
        return transfer(Math.floorMod(rank - step - 1, world), index, action, 0);
    }

    @Override
    public long bytesSent() {
        long bytes = 0;
        for (int step = 0; step < 2 * (world - 1); step++) {
            bytes += chunkBytes(Math.floorMod(rank - step, world));
        }
        return bytes;
    }

    @Override
    public boolean inTurn(int bytesMax) {
        return segmentsPerChunk() == 1 && chunkBytes(0) <= bytesMax;
    }

    private Transfer transfer(int chunk, long index, Action action, long after) {
        long segment = index % segmentsPerChunk();
        return Schedule.segment(chunk, chunkStart(chunk), chunkBytes(chunk), segment, segmentBytes, action, after);
    }

    /** Chunk 0 is never shorter than another one. */
    private long segmentsPerChunk() {
        return Schedule.segments(chunkBytes(0), segmentBytes);
    }

    private long chunkBytes(int chunk) {
        return (count / world + (chunk < count % world ? 1 : 0)) * elementBytes;
    }

    private long chunkStart(int chunk) {
        return (chunk * (count / world) + Math.min(chunk, count % world)) * elementBytes;
    }
}
