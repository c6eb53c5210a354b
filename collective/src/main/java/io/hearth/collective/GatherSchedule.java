package io.hearth.collective;

import java.util.List;

/**
 * Ring all-gather of one block from each rank, blocks of any length: in step k rank r sends block r - k and receives block
 * r - k - 1, so that after {@code world - 1} steps all have all. Block b lies at {@code b * stride} of the buffer.
 */
public final class GatherSchedule implements Schedule {
    private final int rank;
    private final int world;
    private final List<Long> lengths;
    private final long stride;
    private final int segmentBytes;
    /** firstSegment[k] = segments of all steps before k, in the order r, r - 1, …, r - world + 1. */
    private final long[] firstSegment;

    /**
     * The part of one rank.
     *
     * @param rank 0 to lengths.size() - 1
     * @param lengths bytes of each rank's block
     * @param stride distance between the starts of two blocks in bytes; no block is longer
     * @param segmentBytes most bytes of a segment, a multiple of 8
     */
    public GatherSchedule(int rank, List<Long> lengths, long stride, int segmentBytes) {
        Schedule.check(rank, lengths.size(), segmentBytes);
        this.rank = rank;
        this.world = lengths.size();
        this.lengths = List.copyOf(lengths);
        this.stride = stride;
        this.segmentBytes = segmentBytes;
        this.firstSegment = new long[world + 1];
        for (int step = 0; step < world; step++) {
            long length = lengths.get(block(step));
            if (length < 0 || length > stride) {
                throw new IllegalArgumentException(
                        "block " + block(step) + " of " + length + " bytes does not fit a stride of " + stride);
            }
            firstSegment[step + 1] = firstSegment[step] + Schedule.segments(length, segmentBytes);
        }
    }

    @Override
    public long sends() {
        return firstSegment[world - 1];
    }

    @Override
    public long receives() {
        return firstSegment[world] - firstSegment[1];
    }

    @Override
    public Transfer send(long index) {
        return transfer(index, index < firstSegment[1] ? 0 : index - firstSegment[1] + 1);
    }

    @Override
    public Transfer receive(long index) {
        return transfer(index + firstSegment[1], 0);
    }

    @Override
    public long bytesSent() {
        long bytes = 0;
        for (int step = 0; step < world - 1; step++) {
            bytes += lengths.get(block(step));
        }
        return bytes;
    }

    @Override
    public boolean inTurn(int bytesMax) {
        return lengths.stream().allMatch(length -> length <= Math.min(bytesMax, segmentBytes));
    }

    private int block(int step) {
        return Math.floorMod(rank - step, world);
    }

    private Transfer transfer(long index, long after) {
        int step = 0;
        while (firstSegment[step + 1] <= index) {
            step++;
        }
        int block = block(step);
        return Schedule.segment(
                block,
                block * stride,
                lengths.get(block),
                index - firstSegment[step],
                segmentBytes,
                Action.COPY,
                after);
    }
}
