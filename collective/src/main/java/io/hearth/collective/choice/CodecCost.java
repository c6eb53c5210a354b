package io.hearth.collective.choice;

/**
 * What a codec costs one processor for each value, of tensors that do not fit into its caches.
 *
 * @param inBlocks summed part by part, by owners that encode their sums again; else whole encodings go to all
 * @param bytes of the encoding
 * @param encodeNanos with error feedback, if the codec needs it
 * @param decodeNanos over what was there
 * @param addNanos to decode onto other values
 */
public record CodecCost(boolean inBlocks, double bytes, double encodeNanos, double decodeNanos, double addNanos) {
    public CodecCost {
        if (!isCost(bytes) || !isCost(encodeNanos) || !isCost(decodeNanos) || !isCost(addNanos)) {
            throw new IllegalArgumentException("costs are finite and not negative, got " + bytes + " bytes and "
                    + encodeNanos + ", " + decodeNanos + " and " + addNanos + " ns");
        }
    }

    static boolean isCost(double value) {
        return value >= 0 && value <= Double.MAX_VALUE;
    }

    /** What it costs the slower one of two machines. */
    CodecCost orWorse(CodecCost that) {
        return new CodecCost(
                inBlocks,
                Math.max(bytes, that.bytes),
                Math.max(encodeNanos, that.encodeNanos),
                Math.max(decodeNanos, that.decodeNanos),
                Math.max(addNanos, that.addNanos));
    }
}
