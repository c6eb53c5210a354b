package io.hearth.collective.sum;

import io.hearth.compression.BlockCodec;

/**
 * How a tensor is cut where parts of it are encoded, sent and summed by themselves: whole blocks of the codec, the last part perhaps
 * less. Each part's encoding lies in a slot; all slots have one size, so that for a schedule a part is an element.
 *
 * @param count values of the tensor
 * @param valuesEach values of every part but the last
 * @param slotBytes a multiple of 8
 */
public record EncodedParts(long count, long valuesEach, int slotBytes) {
    /** So many parts for each member let all begin early and share evenly. */
    private static final int PARTS_EACH = 4;

    /** What a part of a large tensor has at least, so that a record carries something. */
    private static final long BYTES_USUAL = 2048;

    /** What a part has at least, so that its header does not weigh. */
    private static final long BYTES_MIN = 128;

    /**
     * For a group.
     *
     * @param count for which {@link #pays}
     * @param world number of members
     * @param segmentBytes most bytes of a slot, a multiple of 8, for which {@link #requireFits}
     */
    public static EncodedParts of(BlockCodec codec, long count, int world, int segmentBytes) {
        long block = codec.block();
        long blockBytes = blockBytes(codec);
        long most = blocksMost(codec, segmentBytes);
        long all = Math.ceilDiv(count, block);
        long usual = Math.ceilDiv(BYTES_USUAL, blockBytes);
        long shared = Math.ceilDiv(all, (long) PARTS_EACH * world);
        long least = Math.ceilDiv(all, Math.min(most, Math.max(usual, shared)));
        long even = Math.ceilDiv(least, (long) world) * world; // so many for each member
        long parts = Math.max(least, Math.min(even, all * blockBytes / BYTES_MIN));
        long each = Math.max(1, Math.ceilDiv(all, Math.max(1, parts))) * block;
        return new EncodedParts(count, each, Math.toIntExact(slotBytes(codec, Math.min(count, each))));
    }

    private static long blockBytes(BlockCodec codec) {
        return codec.encodedBytesMax(2L * codec.block()) - codec.encodedBytesMax(codec.block());
    }

    private static long blocksMost(BlockCodec codec, int segmentBytes) {
        long headBytes = codec.encodedBytesMax(codec.block()) - blockBytes(codec);
        return (segmentBytes - headBytes) / blockBytes(codec);
    }

    private static long slotBytes(BlockCodec codec, long count) {
        return Math.ceilDiv(codec.encodedBytesMax(count), Long.BYTES) * Long.BYTES;
    }

    /** Whether so many values are fewer bytes encoded than as they are, in whatever parts. */
    public static boolean pays(BlockCodec codec, long count) {
        return slotBytes(codec, count) < count * Float.BYTES;
    }

    /**
     * Says before anything is sent whether sums can be cut into parts at all.
     *
     * @throws IllegalArgumentException not even one block fits into a slot of {@code segmentBytes}
     */
    static void requireFits(BlockCodec codec, int segmentBytes) {
        if (blocksMost(codec, segmentBytes) < 1) {
            throw new IllegalArgumentException("a block of " + codec.block() + " values has "
                    + codec.encodedBytesMax(codec.block()) + " bytes as '" + codec.name()
                    + "' and does not fit into a segment of " + segmentBytes
                    + ": choose smaller blocks or larger segments");
        }
    }

    /** How many. */
    public long parts() {
        return Math.ceilDiv(count, valuesEach);
    }

    /** Which part's slot begins at an offset. */
    long partAt(long offset) {
        return offset / slotBytes;
    }

    /** Where a part's slot begins. */
    long offset(long part) {
        return part * slotBytes;
    }

    /** A part's first value. */
    public long first(long part) {
        return part * valuesEach;
    }

    /** Values of a part. */
    public long values(long part) {
        return Math.min(valuesEach, count - first(part));
    }

    /** All slots together. */
    long bytes() {
        return parts() * slotBytes;
    }
}
