package io.hearth.collective.schedule;

import java.util.List;

/** Offset and length of each position's block in a buffer: one block after the other, of any lengths, with or without gaps. */
public final class Blocks {
    private final long[] offsets;
    private final long[] lengths;

    private Blocks(List<Long> offsets, List<Long> lengths) {
        if (lengths.isEmpty() || offsets.size() != lengths.size()) {
            throw new IllegalArgumentException("need one offset and one length for each position, got " + offsets.size()
                    + " offsets and " + lengths.size() + " lengths");
        }
        this.offsets = offsets.stream().mapToLong(Long::longValue).toArray();
        this.lengths = lengths.stream().mapToLong(Long::longValue).toArray();
        long end = 0;
        for (int position = 0; position < world(); position++) {
            long from = this.offsets[position];
            long length = this.lengths[position];
            if (length < 0 || from < end || length > Long.MAX_VALUE / 2 / world() - from) {
                throw new IllegalArgumentException("block " + position + " of " + length + " bytes at " + from
                        + " does not fit behind the one before it, which ends at " + end);
            }
            end = from + length;
        }
    }

    /**
     * Blocks at given offsets.
     *
     * @param offsets of each position's block in bytes, rising
     * @param lengths of each position's block in bytes, 0 or more; no block reaches into the next one
     */
    public static Blocks at(List<Long> offsets, List<Long> lengths) {
        return new Blocks(offsets, lengths);
    }

    /**
     * Block p begins at {@code p * stride}.
     *
     * @param lengths of each position's block in bytes, 0 to stride
     * @param stride distance between the starts of two blocks in bytes
     */
    public static Blocks strided(List<Long> lengths, long stride) {
        if (stride < 0 || stride > Long.MAX_VALUE / 2 / Math.max(1, lengths.size())) {
            throw new IllegalArgumentException(
                    "stride of " + lengths.size() + " blocks must be 0 or more without overflow, got " + stride);
        }
        Long[] offsets = new Long[lengths.size()];
        for (int position = 0; position < offsets.length; position++) {
            offsets[position] = position * stride;
        }
        return new Blocks(List.of(offsets), lengths);
    }

    /** Number of positions. */
    public int world() {
        return lengths.length;
    }

    /** Offset of a position's block, in bytes. */
    public long offset(int position) {
        return offsets[position];
    }

    /** Bytes of a position's block. */
    public long length(int position) {
        return lengths[position];
    }

    /** Bytes of all blocks together. */
    public long total() {
        long total = 0;
        for (long length : lengths) {
            total += length;
        }
        return total;
    }

    /** Bytes of the longest block, except that of one position. */
    long longestBut(int position) {
        long longest = 0;
        for (int other = 0; other < world(); other++) {
            longest = Math.max(longest, other == position ? 0 : lengths[other]);
        }
        return longest;
    }

    /** Bytes of the longest block. */
    long longest() {
        return longestBut(-1);
    }
}
