package io.hearth.replicated.machine;

/** The spans of a replica, in nanoseconds. No safety rule depends on one. */
final class Spans {
    private static final long MILLI = 1_000_000L;

    /** Between two replicas that try to become the primary. */
    static final long TURN = 1_500 * MILLI;

    /** A candidate that is not the primary by then begins a higher ballot. */
    static final long PHASE = 1_000 * MILLI;

    /** The wait of a candidate that met a higher promise. */
    static final long BEATEN = 500 * MILLI;

    /** A request for entries is answered by then, even if there is nothing new. */
    static final long HOLD = 5_000 * MILLI;

    /** A request without an answer is sent again. */
    static final long FETCH = 6_000 * MILLI;

    /** The same while a candidate or a part of a snapshot waits for it. */
    static final long URGENT = 1_000 * MILLI;

    /** Announcements are repeated. */
    static final long ANNOUNCE = 5_000 * MILLI;

    /** A member that announced nothing by then does not serve; a primary whose link is gone is no primary. */
    static final long SILENT = 3_000 * MILLI;

    /** After a failed write. */
    static final long REWRITE = 5_000 * MILLI;

    private Spans() {}
}
