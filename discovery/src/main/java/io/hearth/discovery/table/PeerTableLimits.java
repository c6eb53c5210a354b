package io.hearth.discovery.table;

/**
 * Bounds of a peer table.
 *
 * @param recordsMax records kept, linked peers included
 * @param dialsPerSecondMax dials in any one second, not counting those of peers whose link was lost less than a quarter of a second ago
 * @param pauseMinNanos pause before the second round of a record; doubles with each further one
 * @param pauseMaxNanos longest pause between rounds
 * @param pauseMissedMaxNanos longest pause between rounds for a peer whose link was lost less than {@code missedForNanos} ago
 * @param missedForNanos time for which a lost peer is expected back at any moment
 * @param giveWayNanos pause before the first round of a record whose peer has seen this node too and dials first
 * @param attemptDelayNanos pause between two addresses of one record while neither has failed
 * @param dialTimeoutNanos time after which an unanswered dial counts as failed
 * @param forgetAfterNanos time after which an unlinked, unpinned record without a sighting is forgotten; own addresses too
 */
public record PeerTableLimits(
        int recordsMax,
        int dialsPerSecondMax,
        long pauseMinNanos,
        long pauseMaxNanos,
        long pauseMissedMaxNanos,
        long missedForNanos,
        long giveWayNanos,
        long attemptDelayNanos,
        long dialTimeoutNanos,
        long forgetAfterNanos) {
    /** The limits of every node. */
    public static final PeerTableLimits DEFAULT = new PeerTableLimits(
            256,
            4,
            PeerTable.SECOND,
            60 * PeerTable.SECOND,
            4 * PeerTable.SECOND,
            24 * 3_600 * PeerTable.SECOND,
            PeerTable.SECOND / 2,
            PeerTable.SECOND / 4,
            10 * PeerTable.SECOND,
            24 * 3_600 * PeerTable.SECOND);

    public PeerTableLimits {
        if (recordsMax < 1 || dialsPerSecondMax < 1) {
            throw new IllegalArgumentException(
                    "need at least one record and one dial a second, got " + recordsMax + " and " + dialsPerSecondMax);
        }
        if (pauseMinNanos < 1
                || pauseMaxNanos < pauseMinNanos
                || pauseMissedMaxNanos < 1
                || missedForNanos < 0
                || giveWayNanos < 0
                || attemptDelayNanos < 1) {
            throw new IllegalArgumentException(
                    "need 0 < pauseMin <= pauseMax, pauseMissedMax and attemptDelay above 0, missedFor and giveWay"
                            + " not below 0");
        }
        if (dialTimeoutNanos < 1 || forgetAfterNanos < 1) {
            throw new IllegalArgumentException("need dialTimeout and forgetAfter above 0");
        }
    }

    /** The pause after {@code failures} failed rounds, at least one. */
    long pauseNanos(int failures) {
        int doublings = Math.min(failures - 1, 30);
        return pauseMinNanos > pauseMaxNanos >> doublings ? pauseMaxNanos : pauseMinNanos << doublings;
    }
}
