package io.hearth.collective.schedule;

/**
 * A share's segments in pieces of about the same size, for an owner that adds all contributions to a piece at once.
 *
 * @param segments of the share, 1 or more
 * @param count of pieces, at most the number of segments; 0 for an owner that adds contributions as they arrive
 */
record Pieces(long segments, long count) {
    /**
     * The greatest possible number of pieces.
     *
     * @param segmentBytes least bytes of each segment of the share
     * @param bytesMin least bytes of each piece, 1 or more
     */
    static Pieces of(long segments, long segmentBytes, long bytesMin) {
        boolean isTooSmall = segmentBytes == 0 || bytesMin > segments * segmentBytes;
        return new Pieces(segments, isTooSmall ? 0 : segments / Math.ceilDiv(bytesMin, segmentBytes));
    }

    boolean isNone() {
        return count == 0;
    }

    /** Segments of the largest piece; 1 without pieces. */
    long largest() {
        return isNone() ? 1 : Math.ceilDiv(segments, count);
    }

    /** First segment of the piece with {@code segment}; {@code segment} itself without pieces. */
    long first(long segment) {
        return isNone() ? segment : start(piece(segment));
    }

    /** Last segment of the piece with {@code segment}; {@code segment} itself without pieces. */
    long last(long segment) {
        return isNone() ? segment : start(piece(segment) + 1) - 1;
    }

    private long piece(long segment) {
        long each = segments / count;
        long more = segments % count;
        long inLarger = more * (each + 1);
        return segment < inLarger ? segment / (each + 1) : more + (segment - inLarger) / each;
    }

    private long start(long piece) {
        return piece * (segments / count) + Math.min(piece, segments % count);
    }
}
