package io.hearth.collective;

import io.hearth.compression.BlockCodec;

/**
 * How a tensor is cut where parts of it are encoded, sent and summed by themselves: whole blocks of the codec, the last part perhaps
 * less. Each part's encoding lies in a slot; all slots have one size, so that for a schedule a part is an element.
 *
 * @param count values of the tensor
 * @param valuesEach values of every part but the last
 * @param slotBytes a multiple of 8
 */
record EncodedParts(long count, long valuesEach, int slotBytes) {
    /** So many parts for each member let all begin early and share evenly. */
    private static final int PARTS_EACH = 4;

    /** What a part has at least, so that its header does not weigh. */
    private static final long BYTES_MIN = 2048;

    /**
     * For a group.
     *
     * @param world number of members
     * @param segmentBytes most bytes of a slot, a multiple of 8
     * @throws IllegalArgumentException if not even one block fits into a slot
     */
    static EncodedParts of(BlockCodec codec, long count, int world, int segmentBytes) {
        long block = codec.block();
        long blockBytes = codec.encodedBytesMax(2 * block) - codec.encodedBytesMax(block);
        long headBytes = codec.encodedBytesMax(block) - blockBytes;
        long most = (segmentBytes - headBytes) / blockBytes;
        if (most < 1) {
            throw new IllegalArgumentException("a block of " + block + " values has " + (headBytes + blockBytes)
                    + " bytes as '" + codec.name() + "' and does not fit into a segment of " + segmentBytes
                    + ": choose smaller blocks or larger segments");
        }
        long least = Math.ceilDiv(BYTES_MIN, blockBytes);
        long shared = Math.ceilDiv(Math.ceilDiv(count, block), (long) PARTS_EACH * world);
        long blocks = Math.min(most, Math.max(least, shared));
        long bytes = codec.encodedBytesMax(blocks * block);
        return new EncodedParts(count, blocks * block, Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES) * Long.BYTES));
    }

    /** How many. */
    long parts() {
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
    long first(long part) {
        return part * valuesEach;
    }

    /** Values of a part. */
    long values(long part) {
        return Math.min(valuesEach, count - first(part));
    }

    /** All slots together. */
    long bytes() {
        return parts() * slotBytes;
    }
}
