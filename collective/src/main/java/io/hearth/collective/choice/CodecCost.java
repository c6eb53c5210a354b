package io.hearth.collective.choice;

/**
 * Cost of a codec for each value on one processor, for tensors that do not fit into its caches.
 *
 * @param inBlocks whether owners sum part by part and encode their sums again; otherwise whole encodings go to all members
 * @param bytes of the encoding
 * @param encodeNanos to encode, with error feedback if the codec needs it
 * @param decodeNanos to decode and overwrite values
 * @param addNanos to decode onto other values
 */
public record CodecCost(boolean inBlocks, double bytes, double encodeNanos, double decodeNanos, double addNanos) {
    public CodecCost {
        if (!isCost(bytes) || !isCost(encodeNanos) || !isCost(decodeNanos) || !isCost(addNanos)) {
            throw new IllegalArgumentException("costs must be finite and 0 or more, got " + bytes + " bytes and "
                    + encodeNanos + ", " + decodeNanos + " and " + addNanos + " ns");
        }
    }

    static boolean isCost(double value) {
        return value >= 0 && value <= Double.MAX_VALUE;
    }

    /** The cost on the slower of two machines. */
    CodecCost orWorse(CodecCost that) {
        return new CodecCost(
                inBlocks,
                Math.max(bytes, that.bytes),
                Math.max(encodeNanos, that.encodeNanos),
                Math.max(decodeNanos, that.decodeNanos),
                Math.max(addNanos, that.addNanos));
    }
}
