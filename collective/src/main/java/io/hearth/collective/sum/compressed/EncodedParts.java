package io.hearth.collective.sum.compressed;

import io.hearth.compression.BlockCodec;

/**
 * The parts of a tensor that are encoded, sent and summed one by one. A part consists of whole blocks of the codec; the last part
 * may be shorter. Each part's encoding lies in a slot. All slots have one size, so for a schedule a part is an element.
 *
 * @param count values of the tensor
 * @param valuesEach values per part, except the last
 * @param slotBytes a multiple of 8
 */
public record EncodedParts(long count, long valuesEach, int slotBytes) {
    /** Parts per member: enough to begin early and to share evenly. */
    private static final int PARTS_EACH = 4;

    /** Fewest bytes of a part of a large tensor, so that a record is worth its overhead. */
    private static final long BYTES_USUAL = 2048;

    /** Fewest bytes of any part, so that its header is small beside it. */
    private static final long BYTES_MIN = 128;

    /**
     * Cuts a tensor for a group.
     *
     * @param count values, for which {@link #pays} is true
     * @param world number of members
     * @param segmentBytes most bytes of a slot, a multiple of 8, accepted by {@link #requireFits}
     */
    public static EncodedParts of(BlockCodec codec, long count, int world, int segmentBytes) {
        long block = codec.block();
        long blockBytes = blockBytes(codec);
        long most = blocksMost(codec, segmentBytes);
        long all = Math.ceilDiv(count, block);
        long usual = Math.ceilDiv(BYTES_USUAL, blockBytes);
        long shared = Math.ceilDiv(all, (long) PARTS_EACH * world);
        long least = Math.ceilDiv(all, Math.min(most, Math.max(usual, shared)));
        long even = Math.ceilDiv(least, (long) world) * world; // the same number for each member
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

    /** Whether {@code count} values take fewer bytes encoded than plain, however they are cut. */
    public static boolean pays(BlockCodec codec, long count) {
        return slotBytes(codec, count) < count * Float.BYTES;
    }

    /**
     * Checks, before anything is sent, that sums can be cut into parts.
     *
     * @throws IllegalArgumentException if one block does not fit into a slot of {@code segmentBytes}
     */
    public static void requireFits(BlockCodec codec, int segmentBytes) {
        if (blocksMost(codec, segmentBytes) < 1) {
            throw new IllegalArgumentException("a block of " + codec.block() + " values has "
                    + codec.encodedBytesMax(codec.block()) + " bytes as '" + codec.name()
                    + "' and does not fit into a segment of " + segmentBytes
                    + ": choose smaller blocks or larger segments");
        }
    }

    /** Number of parts. */
    public long parts() {
        return Math.ceilDiv(count, valuesEach);
    }

    /** The part whose slot is at an offset. */
    long partAt(long offset) {
        return offset / slotBytes;
    }

    /** Offset of a part's slot. */
    long offset(long part) {
        return part * slotBytes;
    }

    /** Index of a part's first value. */
    public long first(long part) {
        return part * valuesEach;
    }

    /** Number of values of a part. */
    public long values(long part) {
        return Math.min(valuesEach, count - first(part));
    }

    /** Bytes of all slots together. */
    long bytes() {
        return parts() * slotBytes;
    }
}
