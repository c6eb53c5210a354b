package io.hearth.election.view.state;

/**
 * Ballots that a member began and did not finish although it was heard all the time. Each one stops the data of all others until one of
 * them drives the change itself. This may happen once to an honest member; a member that repeats it is left out for a while.
 *
 * @param count of recent ones
 * @param sinceNanos time of the last one
 */
public record Abandonments(int count, long sinceNanos) {
    static final Abandonments NONE = new Abandonments(0, 0);

    /** This number in a row is no accident. */
    public static final int MOST = 3;

    private static final long FORGOTTEN_NANOS = 120_000_000_000L;

    Abandonments more(long now) {
        return new Abandonments(isWithin(FORGOTTEN_NANOS, now) ? count + 1 : 1, now);
    }

    /** Whether the last one is less than {@code nanos} old. */
    public boolean isWithin(long nanos, long now) {
        return count > 0 && now - sinceNanos < nanos;
    }

    /** Whether the member's ballots are ignored and it is left out. */
    public boolean areTooMany(long spanNanos, long now) {
        return count >= MOST && isWithin(spanNanos, now);
    }
}
