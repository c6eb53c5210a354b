package io.hearth.election.view;

import io.hearth.election.View;
import io.hearth.election.ViewSource;
import java.util.Optional;

/**
 * What this process knows of a lineage in which its machine votes, without asking the disk. It teaches others with it; it never
 * votes from it.
 *
 * @param seat of the machine's record; 0 until the record was read
 * @param view newest committed view known; empty until one was learned
 * @param source where that view is from
 * @param learnedNanos when
 * @param roundSeen highest round of any ballot met for the view's successor
 * @param roundBase what {@code roundSeen} was when the present second began
 * @param roundBaseNanos when that was
 * @param usedNanos when it was home or target, or its view changed
 */
record KnownLineage(
        long seat,
        Optional<View> view,
        ViewSource source,
        long learnedNanos,
        long roundSeen,
        long roundBase,
        long roundBaseNanos,
        long usedNanos) {
    /** Others raise the highest round by so much in a second. */
    static final long ROUNDS_A_SECOND_MAX = 1_000;

    private static final long SECOND_NANOS = 1_000_000_000L;

    /** As the record of this machine says. */
    static KnownLineage of(long seat, Optional<View> view, long now) {
        return of(seat, view, new ViewSource.Disk(), now);
    }

    static KnownLineage of(long seat, Optional<View> view, ViewSource source, long now) {
        return new KnownLineage(seat, view, source, now, 0, 0, now, now);
    }

    KnownLineage seated(long other, long now) {
        return new KnownLineage(other, view, source, learnedNanos, roundSeen, roundBase, roundBaseNanos, now);
    }

    KnownLineage learned(View newer, ViewSource from, long now) {
        return of(seat, Optional.of(newer), from, now);
    }

    /** Whether a round is so near that this machine votes for it. */
    boolean believes(long round, long now) {
        return round <= base(now) + ROUNDS_A_SECOND_MAX;
    }

    /**
     * After another's ballot of that round was met. It raises the highest known by a bounded step in a second, from however many
     * ballots: so a voter that missed many catches up, a liar cannot use up all numbers, and those who were absent follow in as long
     * as it lied.
     */
    KnownLineage met(long round, long now) {
        long base = base(now);
        long seen = Math.max(roundSeen, Math.min(round, base + ROUNDS_A_SECOND_MAX));
        return seen == roundSeen
                ? this
                : new KnownLineage(
                        seat,
                        view,
                        source,
                        learnedNanos,
                        seen,
                        base,
                        isNewSecond(now) ? now : roundBaseNanos,
                        usedNanos);
    }

    /** After a ballot of this node began: its round is used. */
    KnownLineage began(long round) {
        return new KnownLineage(
                seat, view, source, learnedNanos, Math.max(roundSeen, round), roundBase, roundBaseNanos, usedNanos);
    }

    private long base(long now) {
        return isNewSecond(now) ? roundSeen : roundBase;
    }

    private boolean isNewSecond(long now) {
        return now - roundBaseNanos >= SECOND_NANOS;
    }
}
