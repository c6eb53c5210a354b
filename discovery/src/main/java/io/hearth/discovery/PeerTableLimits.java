package io.hearth.discovery;

import java.util.concurrent.TimeUnit;

/**
 * Bounds of a peer table.
 *
 * @param recordsMax records kept, linked peers included
 * @param dialsPerSecondMax dials asked for in any one second
 * @param pauseMinNanos before the second round of a record; doubles with each further one
 * @param pauseMaxNanos longest pause between rounds
 * @param attemptDelayNanos between two addresses of one record while neither has failed
 * @param dialTimeoutNanos after which an unanswered dial counts as failed
 * @param forgetAfterNanos without news, an unlinked record that nobody pinned is forgotten; own addresses too
 */
public record PeerTableLimits(
        int recordsMax,
        int dialsPerSecondMax,
        long pauseMinNanos,
        long pauseMaxNanos,
        long attemptDelayNanos,
        long dialTimeoutNanos,
        long forgetAfterNanos) {
    /** What every node uses. */
    public static final PeerTableLimits DEFAULT = new PeerTableLimits(
            256,
            4,
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(60),
            TimeUnit.MILLISECONDS.toNanos(250),
            TimeUnit.SECONDS.toNanos(10),
            TimeUnit.HOURS.toNanos(24));

    public PeerTableLimits {
        if (recordsMax < 1 || dialsPerSecondMax < 1) {
            throw new IllegalArgumentException(
                    "need at least one record and one dial a second, got " + recordsMax + " and " + dialsPerSecondMax);
        }
        if (pauseMinNanos < 1 || pauseMaxNanos < pauseMinNanos || attemptDelayNanos < 1) {
            throw new IllegalArgumentException("need 0 < pauseMin <= pauseMax and 0 < attemptDelay");
        }
        if (dialTimeoutNanos < 1 || forgetAfterNanos < 1) {
            throw new IllegalArgumentException("need dialTimeout and forgetAfter above 0");
        }
    }

    /** The pause after that many failed rounds, at least one. */
    long pauseNanos(int failures) {
        int doublings = Math.min(failures - 1, 30);
        return pauseMinNanos > pauseMaxNanos >> doublings ? pauseMaxNanos : pauseMinNanos << doublings;
    }
}
