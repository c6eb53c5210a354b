package io.hearth.simulation.replicated;

/** A fault planted in the rules or in the shell of a replica, to prove that the checks find it. */
public enum ReplicaBug {
    /** No fault. */
    NOTHING,
    /** The primary counts its own entries as stored before they are on its disk. */
    COUNTS_UNWRITTEN,
    /** A write is reported as done before it is. */
    REPORTS_EARLY,
    /** A promise is forgotten in a restart. */
    FORGETS_PROMISES,
    /** A folder that is restored from a backup keeps its seat. */
    KEEPS_SEAT,
    /** Any half of the replicas is a quorum. */
    ANY_HALF,
    /** A configuration that is not committed yet does not count. */
    OLD_CONFIGURATION_ONLY,
    /** Only the newest configuration counts. */
    NEW_CONFIGURATION_ONLY,
    /** Entries of an earlier ballot are committed by their number alone. */
    COMMITS_EARLIER_BALLOTS(1_500), // needs three primaries in a row that are lost at the right moments
    /** A candidate keeps its own log. */
    KEEPS_OWN_LOG,
    /** The longer log is the better one, whatever its last ballot is. */
    LONGEST_LOG,
    /** A promise does not hold against entries of a lower ballot. */
    STORES_LOWER_BALLOTS(3_000),
    /** A repeated command is applied again. */
    APPLIES_AGAIN,
    /** A replica gives its store up for any better one. */
    LEAVES_EARLY,
    /** A command goes to another store although the first one may have applied it. */
    CHANGES_STORE,
    /** A primary answers reads without asking whether it still is one. */
    STALE_READS;

    private final long from;

    ReplicaBug() {
        this(0);
    }

    ReplicaBug(long from) {
        this.from = from;
    }

    /** The seed from which on it is found soon. */
    public long from() {
        return from;
    }
}
