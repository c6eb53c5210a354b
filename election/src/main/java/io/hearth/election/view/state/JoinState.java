package io.hearth.election.view.state;

import io.hearth.election.Lineage;

/** Whether this lone node is on its way into another lineage. */
public sealed interface JoinState {
    JoinState STAYING = new Staying();

    record Staying() implements JoinState {}

    /** It waits until the machine's record of that lineage is on disk; only then may it ask. */
    record Entering(Lineage target, long sinceNanos) implements JoinState {}

    /**
     * It asks for entry; meanwhile it proposes nothing and admits no node.
     *
     * @param seat of the machine's record
     */
    record Joining(Lineage target, long seat, long sinceNanos, long sentNanos) implements JoinState {
        public Joining seated(long other) {
            return new Joining(target, other, sinceNanos, sentNanos);
        }

        public Joining sent(long now) {
            return new Joining(target, seat, sinceNanos, now);
        }
    }
}
