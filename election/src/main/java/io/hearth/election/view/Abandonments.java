package io.hearth.election.view;

/**
 * Ballots that a member began and did not bring to an end, though it was heard all the time. Each stops the data of all others until one
 * of them drives the change itself. One may happen to an honest member; who does it again and again is left out for a while.
 *
 * @param count of them, none of them long ago
 * @param sinceNanos when the last one was given up
 */
record Abandonments(int count, long sinceNanos) {
    static final Abandonments NONE = new Abandonments(0, 0);

    /** So many in a row are no accident. */
    static final int MOST = 3;

    private static final long FORGOTTEN_NANOS = 120_000_000_000L;

    Abandonments more(long now) {
        return new Abandonments(isWithin(FORGOTTEN_NANOS, now) ? count + 1 : 1, now);
    }

    /** Whether the last one was given up less than {@code nanos} ago. */
    boolean isWithin(long nanos, long now) {
        return count > 0 && now - sinceNanos < nanos;
    }

    /** Whether its ballots are not answered, and it is left out. */
    boolean areTooMany(long spanNanos, long now) {
        return count >= MOST && isWithin(spanNanos, now);
    }
}
