package io.hearth.election;

import java.util.Arrays;

/**
 * The spans of the view change, all in nanoseconds. The defaults are those that the protocol was checked with; what must stay
 * ordered is checked here.
 *
 * @param silenceNanos a member never heard, or heard living elsewhere, this long is to be removed
 * @param brokenPairNanos how long a pair may be reported broken before an end of it is removed: with the silence before the report, as
 *     long as an address told by a third member may take to mend it
 * @param settleNanos least age of a view before joiners or a merge change it
 * @param gapNanos an own pause longer than this is followed by a rest
 * @param restNanos how long data rests after an own pause
 * @param retainNanos between two looks at the records on disk
 */
public record ElectionConfig(
        Ballots ballots,
        Joining joining,
        Leaving leaving,
        Stalling stalling,
        Returning returning,
        HoldDowns holdDowns,
        long silenceNanos,
        long brokenPairNanos,
        long settleNanos,
        long gapNanos,
        long restNanos,
        long retainNanos) {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;

    /** What protocol and presets were measured with. */
    public static final ElectionConfig DEFAULTS = new ElectionConfig(
            new Ballots(
                    800 * MILLI,
                    4 * SECOND,
                    2_400 * MILLI,
                    400 * MILLI,
                    400 * MILLI,
                    600 * MILLI,
                    300 * MILLI,
                    2 * SECOND,
                    2_500 * MILLI),
            new Joining(250 * MILLI, SECOND, 2 * SECOND, SECOND, 2 * SECOND, 5 * SECOND, 5 * SECOND),
            new Leaving(250 * MILLI, 5 * SECOND, 10 * SECOND),
            new Stalling(5 * SECOND, 4 * SECOND, OnPartition.STALL),
            new Returning(3 * SECOND, 8 * SECOND),
            new HoldDowns(SECOND, 60 * SECOND, 60 * SECOND),
            1_500 * MILLI,
            3_500 * MILLI,
            350 * MILLI,
            700 * MILLI,
            600 * MILLI,
            60 * SECOND);

    /** What a node does when it stalled. */
    public enum OnPartition {
        /** Wait until the quorum is back. */
        STALL,
        /** Go on alone, on purpose: found a lineage that yields to every other one later. */
        CONTINUE
    }

    /**
     * Attempts to commit a view.
     *
     * @param staggerNanos proposer number i waits i times this
     * @param staggerMostNanos most that any proposer waits
     * @param lifeNanos of one phase of a ballot, at most
     * @param lifeSpreadNanos random addition to it
     * @param retryNanos least wait of a refused proposer
     * @param retrySpreadNanos random addition to it
     * @param repeatNanos between repeats to those who have not answered
     * @param answerNanos how long an unsuspected member may keep the others waiting; more than the suspicion takes
     * @param orphanNanos a frozen member that heard nothing of its change this long drives it itself
     */
    public record Ballots(
            long staggerNanos,
            long staggerMostNanos,
            long lifeNanos,
            long lifeSpreadNanos,
            long retryNanos,
            long retrySpreadNanos,
            long repeatNanos,
            long answerNanos,
            long orphanNanos) {
        public Ballots {
            positive(
                    staggerNanos,
                    staggerMostNanos,
                    lifeNanos,
                    lifeSpreadNanos,
                    retryNanos,
                    retrySpreadNanos,
                    repeatNanos);
            if (answerNanos <= 0 || answerNanos >= lifeNanos || orphanNanos <= lifeNanos) {
                throw new IllegalArgumentException("need 0 < answerNanos < lifeNanos < orphanNanos, got " + answerNanos
                        + ", " + lifeNanos + ", " + orphanNanos);
            }
        }
    }

    /**
     * Asking for entry.
     *
     * @param repeatNanos between repeats of Join
     * @param freshNanos how long a Join, or where a stranger said to live, is believed
     * @param targetNanos how long a target is held before a better one is preferred
     * @param answerNanos least span between two answers to one joiner
     * @param refusedNanos how long a group that refused is not asked again
     * @param dissolveNanos how long a lineage whose groups refused does not try to dissolve again, and a group that waited
     *     in vain does not wait again
     * @param holdNanos how long a group waits at the beginning of a step for those who want to enter
     */
    public record Joining(
            long repeatNanos,
            long freshNanos,
            long targetNanos,
            long answerNanos,
            long refusedNanos,
            long dissolveNanos,
            long holdNanos) {
        public Joining {
            positive(repeatNanos, freshNanos, targetNanos, answerNanos, refusedNanos, dissolveNanos, holdNanos);
        }
    }

    /**
     * Leaving in good order.
     *
     * @param repeatNanos between repeats of Leave
     * @param drainNanos how long to wait until all have done what the leaver has done
     * @param lifeNanos how long to ask before going as if crashed
     */
    public record Leaving(long repeatNanos, long drainNanos, long lifeNanos) {
        public Leaving {
            positive(repeatNanos, drainNanos, lifeNanos);
        }
    }

    /**
     * Without a quorum.
     *
     * @param afterNanos a change needed this long without a view is a stall
     * @param continueNanos how long after that {@link OnPartition#CONTINUE} goes on alone
     */
    public record Stalling(long afterNanos, long continueNanos, OnPartition onPartition) {
        public Stalling {
            positive(afterNanos, continueNanos);
        }
    }

    /**
     * After an outage, when a quorum is heard again.
     *
     * @param quietNanos no ballot begins until no further member came back for this long
     * @param mostNanos or until this long after the quorum came back
     */
    public record Returning(long quietNanos, long mostNanos) {
        public Returning {
            positive(quietNanos, mostNanos);
        }
    }

    /**
     * How long a removed node waits outside.
     *
     * @param firstNanos the first time
     * @param mostNanos after doublings
     * @param healthyNanos a membership this long makes the next one the first time again
     */
    public record HoldDowns(long firstNanos, long mostNanos, long healthyNanos) {
        public HoldDowns {
            positive(firstNanos, mostNanos, healthyNanos);
            if (mostNanos < firstNanos) {
                throw new IllegalArgumentException(
                        "need firstNanos <= mostNanos, got " + firstNanos + " and " + mostNanos);
            }
        }
    }

    public ElectionConfig {
        positive(silenceNanos, brokenPairNanos, settleNanos, gapNanos, restNanos, retainNanos);
    }

    /** A peer that says nothing for longer than this stood still: above the span between two heartbeats of a slow network. */
    public long peerGapNanos() {
        return Math.max(gapNanos, silenceNanos / 4);
    }

    /** With another answer to a lost quorum. */
    public ElectionConfig onPartition(OnPartition choice) {
        return new ElectionConfig(
                ballots,
                joining,
                leaving,
                new Stalling(stalling.afterNanos(), stalling.continueNanos(), choice),
                returning,
                holdDowns,
                silenceNanos,
                brokenPairNanos,
                settleNanos,
                gapNanos,
                restNanos,
                retainNanos);
    }

    /**
     * With the span of silence of the failure detector's preset. All spans that have to outlast a suspicion grow as much as it is
     * longer than the default.
     *
     * @throws IllegalArgumentException it is not above a pause and the rest after it
     */
    public ElectionConfig silence(long nanos) {
        long more = Math.max(0, nanos - silenceNanos);
        var patient = new Ballots(
                ballots.staggerNanos(),
                ballots.staggerMostNanos(),
                ballots.lifeNanos() + more,
                ballots.lifeSpreadNanos(),
                ballots.retryNanos(),
                ballots.retrySpreadNanos(),
                ballots.repeatNanos(),
                ballots.answerNanos() + more,
                ballots.orphanNanos() + more);
        return new ElectionConfig(
                        patient,
                        new Joining(
                                joining.repeatNanos(),
                                joining.freshNanos() + more,
                                joining.targetNanos() + more,
                                joining.answerNanos(),
                                joining.refusedNanos(),
                                joining.dissolveNanos(),
                                joining.holdNanos()),
                        new Leaving(leaving.repeatNanos(), leaving.drainNanos() + more, leaving.lifeNanos() + more),
                        new Stalling(stalling.afterNanos() + more, stalling.continueNanos(), stalling.onPartition()),
                        new Returning(returning.quietNanos() + more, returning.mostNanos() + more),
                        holdDowns,
                        nanos,
                        brokenPairNanos + more,
                        settleNanos,
                        gapNanos,
                        restNanos,
                        retainNanos)
                .ordered();
    }

    /** Each span outlasts the one before it; the protocol would stall or remove healthy members otherwise. */
    private ElectionConfig ordered() {
        long[] spans = {
            gapNanos + restNanos,
            silenceNanos,
            ballots.answerNanos(),
            ballots.lifeNanos(),
            ballots.orphanNanos(),
            returning.quietNanos() + 1, // may equal the one before it
            stalling.afterNanos(),
            returning.mostNanos(),
            leaving.lifeNanos()
        };
        for (int i = 1; i < spans.length; i++) {
            if (spans[i - 1] >= spans[i]) {
                throw new IllegalArgumentException(
                        "need gap + rest < silence < answer < life < orphan <= quiet after an"
                                + " outage < stall < its limit < leave, got in ns " + Arrays.toString(spans));
            }
        }
        return this;
    }

    private static void positive(long... spans) {
        for (long span : spans) {
            if (span <= 0) {
                throw new IllegalArgumentException("every span must be above 0 ns, got " + span);
            }
        }
    }
}
