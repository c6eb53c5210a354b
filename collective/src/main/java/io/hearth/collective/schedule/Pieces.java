package io.hearth.collective.schedule;

/**
 * A share's segments in pieces of about the same size, for an owner that adds the contributions to a piece all at once. Pure.
 *
 * @param segments of the share, 1 or more
 * @param count of pieces, at most the segments; 0 for an owner that adds contributions as they come
 */
record Pieces(long segments, long count) {
    /**
     * As many as there can be.
     *
     * @param segmentBytes that each segment of the share has at least
     * @param bytesMin that each piece is to have at least, 1 or more
     */
    static Pieces of(long segments, long segmentBytes, long bytesMin) {
        boolean isTooSmall = segmentBytes == 0 || bytesMin > segments * segmentBytes;
        return new Pieces(segments, isTooSmall ? 0 : segments / Math.ceilDiv(bytesMin, segmentBytes));
    }

    boolean isNone() {
        return count == 0;
    }

    /** Segments of the largest; 1 without pieces. */
    long largest() {
        return isNone() ? 1 : Math.ceilDiv(segments, count);
    }

    /** First segment of the piece with {@code segment}; that one without pieces. */
    long first(long segment) {
        return isNone() ? segment : start(piece(segment));
    }

    /** Last segment of the piece with {@code segment}; that one without pieces. */
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
