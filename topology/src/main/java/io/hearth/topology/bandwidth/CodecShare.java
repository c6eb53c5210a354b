package io.hearth.topology.bandwidth;

/** The share of its time that a node spends in codecs while collectives run. Confined to one thread. */
public final class CodecShare {
    /** Highest share, in percent: all the time. */
    public static final int PERCENT_MAX = 100;

    private static final long SPAN_NANOS = 2_000_000_000L;

    private long codecNanos; // at the latest look
    private long openCodecNanos;
    private long openNanos;
    private int percent;

    /**
     * Takes what happened since the last look.
     *
     * @param totalNanos time that codecs took so far
     * @param elapsedNanos time since the last look
     * @param isBusy whether collectives ran; other looks do not count
     * @return percent of the last two seconds or more with collectives, 0 to {@value #PERCENT_MAX}
     */
    public int look(long totalNanos, long elapsedNanos, boolean isBusy) {
        long spent = totalNanos - codecNanos;
        codecNanos = totalNanos;
        if (isBusy) {
            openCodecNanos += spent;
            openNanos += elapsedNanos;
        }
        if (openNanos >= SPAN_NANOS) {
            percent = Math.clamp(100 * openCodecNanos / openNanos, 0, PERCENT_MAX);
            openCodecNanos = 0;
            openNanos = 0;
        }
        return percent;
    }
}
