package io.hearth.election;

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
 * @param roundRaisedNanos when a round far above moved {@code roundSeen} last
 * @param usedNanos when it was home or target, or its view changed
 */
record KnownLineage(
        long seat,
        Optional<View> view,
        ViewSource source,
        long learnedNanos,
        long roundSeen,
        long roundRaisedNanos,
        long usedNanos) {
    /** A round this far above the highest known is not believed. */
    static final long ROUND_LEAP_MAX = 1_000;

    private static final long ROUND_RAISE_NANOS = 1_000_000_000L;

    /** As the record of this machine says. */
    static KnownLineage of(long seat, Optional<View> view, long now) {
        return of(seat, view, new ViewSource.Disk(), now);
    }

    static KnownLineage of(long seat, Optional<View> view, ViewSource source, long now) {
        return new KnownLineage(seat, view, source, now, 0, now - ROUND_RAISE_NANOS, now);
    }

    KnownLineage seated(long other, long now) {
        return new KnownLineage(other, view, source, learnedNanos, roundSeen, roundRaisedNanos, now);
    }

    KnownLineage learned(View newer, ViewSource from, long now) {
        return of(seat, Optional.of(newer), from, now);
    }

    boolean believes(long round) {
        return round <= roundSeen + ROUND_LEAP_MAX;
    }

    /**
     * After a ballot of that round was met. A round far above raises the highest known by a bounded step, at most once a second: so
     * a voter that missed many ballots catches up, and a liar cannot use up all numbers.
     */
    KnownLineage met(long round, long now) {
        if (believes(round)) {
            return round <= roundSeen
                    ? this
                    : new KnownLineage(seat, view, source, learnedNanos, round, roundRaisedNanos, usedNanos);
        }
        return now - roundRaisedNanos < ROUND_RAISE_NANOS
                ? this
                : new KnownLineage(seat, view, source, learnedNanos, roundSeen + ROUND_LEAP_MAX, now, usedNanos);
    }
}
