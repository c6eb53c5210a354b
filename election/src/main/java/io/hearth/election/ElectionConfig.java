package io.hearth.election;

import java.util.Arrays;

/**
 * The time spans of the view change, all in nanoseconds. The protocol was checked with the defaults. The constructor rejects spans whose
 * order would break the protocol.
 *
 * @param silenceNanos a member that was never heard, or lives elsewhere, is removed after this time
 * @param brokenPairNanos time for which a pair may be reported broken before one end of it is removed. Together with the
 *     silence before the report, this is as long as an address from a third member may take to repair the pair
 * @param settleNanos least age of a view before joining nodes or a merge change it
 * @param gapNanos after a local pause longer than this, data traffic rests
 * @param restNanos length of that rest
 * @param retainNanos between two sweeps of the records on disk
 */
public record ElectionConfig(
        Ballots ballots,
        Joining joining,
        Leaving leaving,
        Stalling stalling,
        Returning returning,
        ReadmissionDelays readmissionDelays,
        long silenceNanos,
        long brokenPairNanos,
        long settleNanos,
        long gapNanos,
        long restNanos,
        long retainNanos) {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;

    /** The defaults, with which protocol and presets were measured. */
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
            new ReadmissionDelays(SECOND, 60 * SECOND, 60 * SECOND),
            1_500 * MILLI,
            3_500 * MILLI,
            350 * MILLI,
            700 * MILLI,
            600 * MILLI,
            60 * SECOND);

    /** The action of a stalled node. */
    public enum OnPartition {
        /** Wait until the quorum is back. */
        STALL,
        /** Go on alone: found a lineage that later yields to every other one. */
        CONTINUE
    }

    /**
     * Attempts to commit a view.
     *
     * @param staggerNanos proposer number i waits i times this
     * @param staggerMostNanos longest such wait
     * @param lifeNanos of one phase of a ballot, at most
     * @param lifeSpreadNanos random addition to it
     * @param retryNanos shortest wait of a rejected proposer
     * @param retrySpreadNanos random addition to it
     * @param repeatNanos between repeats to members that have not answered
     * @param answerNanos time for which the others wait for an unsuspected member; more than a suspicion takes
     * @param orphanNanos a frozen member that hears nothing of its change for this time drives it itself
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
     * @param freshNanos time for which a Join, or a stranger's claim of its lineage, is believed
     * @param targetNanos time for which a target is kept before a better one is preferred
     * @param answerNanos least time between two answers to one joining node
     * @param refusedNanos time for which a group that rejected joining trainers is not asked again
     * @param dissolveNanos time for which a lineage whose groups objected does not try to dissolve again, and a group that
     *     waited in vain does not wait again
     * @param holdNanos time for which a group waits at the beginning of a step for joining trainers
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
     * @param drainNanos time to wait until all members have done the leaving node's collectives
     * @param lifeNanos time to ask before the node exits as if crashed
     */
    public record Leaving(long repeatNanos, long drainNanos, long lifeNanos) {
        public Leaving {
            positive(repeatNanos, drainNanos, lifeNanos);
        }
    }

    /**
     * Without a quorum.
     *
     * @param afterNanos a change that is needed for this time without a new view is a stall
     * @param continueNanos time after which {@link OnPartition#CONTINUE} goes on alone
     */
    public record Stalling(long afterNanos, long continueNanos, OnPartition onPartition) {
        public Stalling {
            positive(afterNanos, continueNanos);
        }
    }

    /**
     * After an outage, when a quorum is heard again.
     *
     * @param quietNanos no ballot begins until no further member came back for this time
     * @param mostNanos or until this time after the quorum came back
     */
    public record Returning(long quietNanos, long mostNanos) {
        public Returning {
            positive(quietNanos, mostNanos);
        }
    }

    /**
     * The readmission delay of a removed node.
     *
     * @param firstNanos after the first removal
     * @param mostNanos the longest, after doublings
     * @param healthyNanos a membership of this length resets the delay
     */
    public record ReadmissionDelays(long firstNanos, long mostNanos, long healthyNanos) {
        public ReadmissionDelays {
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

    /** A peer that is silent for longer than this was paused. It exceeds the interval of heartbeats on a slow network. */
    public long peerGapNanos() {
        return Math.max(gapNanos, silenceNanos / 4);
    }

    /** A copy with another action for a lost quorum. */
    public ElectionConfig onPartition(OnPartition choice) {
        return new ElectionConfig(
                ballots,
                joining,
                leaving,
                new Stalling(stalling.afterNanos(), stalling.continueNanos(), choice),
                returning,
                readmissionDelays,
                silenceNanos,
                brokenPairNanos,
                settleNanos,
                gapNanos,
                restNanos,
                retainNanos);
    }

    /**
     * A copy for a failure detector with that span of silence. All spans that must outlast a suspicion grow by the same amount.
     *
     * @throws IllegalArgumentException if it is not longer than a pause and the rest after it
     */
    public ElectionConfig silence(long nanos) {
        return stretched(nanos).ordered();
    }

    /**
     * Like {@link #silence}, for a span that came into force meanwhile: all later spans grow alike, which keeps their order.
     *
     * @param nanos this configuration's silence or a longer one
     */
    public ElectionConfig stretched(long nanos) {
        if (nanos == silenceNanos) {
            return this;
        }
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
                readmissionDelays,
                nanos,
                brokenPairNanos + more,
                settleNanos,
                gapNanos,
                restNanos,
                retainNanos);
    }

    /** Each span must outlast the one before it; otherwise the protocol would stall or remove healthy members. */
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
