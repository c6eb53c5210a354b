package io.hearth.replicated.machine;

/**
 * The highest round of ballots that is believed. A member that lies about a round must not use up the numbers.
 *
 * @param highest known
 * @param raisedNanos when a far round raised it; such a step counts once a second
 */
record Rounds(long highest, long raisedNanos) {
    static final long STEP = 1_000;
    private static final long PAUSE_NANOS = 1_000_000_000L;
    static final Rounds NONE = new Rounds(0, Long.MIN_VALUE);

    boolean believes(long round) {
        return round <= highest + STEP;
    }

    /** After a round was heard; a far one raises the highest by a step. */
    Rounds heard(long round, long now) {
        if (believes(round)) {
            return round > highest ? new Rounds(round, raisedNanos) : this;
        }
        boolean isTooSoon = raisedNanos != Long.MIN_VALUE && now - raisedNanos < PAUSE_NANOS;
        return isTooSoon ? this : new Rounds(highest + STEP, now);
    }
}
