package io.hearth.election.view.state;

import io.hearth.election.View;
import io.hearth.election.ViewSource;
import java.util.Optional;

/**
 * A process's knowledge of a lineage in which its machine votes, kept without the disk. It informs other nodes from it, but never votes
 * from it.
 *
 * @param seat of the machine's record; 0 until the record was read
 * @param view newest known committed view; empty until one was learned
 * @param source the origin of that view
 * @param learnedNanos time at which it was learned
 * @param roundSeen highest round of any received ballot for the view's successor
 * @param roundBase {@code roundSeen} at the beginning of the present second
 * @param roundBaseNanos time of that beginning
 * @param usedNanos when it was home or target, or its view changed
 */
public record KnownLineage(
        long seat,
        Optional<View> view,
        ViewSource source,
        long learnedNanos,
        long roundSeen,
        long roundBase,
        long roundBaseNanos,
        long usedNanos) {
    /** Largest step by which others raise the highest round in a second. */
    static final long ROUNDS_A_SECOND_MAX = 1_000;

    private static final long SECOND_NANOS = 1_000_000_000L;

    /** From the record of this machine. */
    public static KnownLineage of(long seat, Optional<View> view, long now) {
        return of(seat, view, new ViewSource.Disk(), now);
    }

    public static KnownLineage of(long seat, Optional<View> view, ViewSource source, long now) {
        return new KnownLineage(seat, view, source, now, 0, 0, now, now);
    }

    public KnownLineage seated(long other, long now) {
        return new KnownLineage(other, view, source, learnedNanos, roundSeen, roundBase, roundBaseNanos, now);
    }

    public KnownLineage learned(View newer, ViewSource from, long now) {
        return of(seat, Optional.of(newer), from, now);
    }

    /** Whether a round is so near that this machine votes for it. */
    public boolean believes(long round, long now) {
        return round <= base(now) + ROUNDS_A_SECOND_MAX;
    }

    /**
     * After another node's ballot of that round. It raises the highest round by a bounded step per second, however many ballots arrive. So a
     * voter that missed many catches up, a liar cannot use up all numbers, and absent nodes need as long to follow as the liar lied.
     */
    public KnownLineage met(long round, long now) {
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
    public KnownLineage began(long round) {
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
