package io.hearth.election.view.state;

import io.hearth.election.GroupPhase;
import io.hearth.election.Role;

/**
 * A node that asks for entry here.
 *
 * @param seat of its machine's record
 * @param phase of its collectives
 * @param heardNanos when it last asked
 * @param answeredNanos time of the last {@link io.hearth.election.Message.NotYet} to it
 */
public record Joiner(
        long incarnation, long seat, Role role, String group, GroupPhase phase, long heardNanos, long answeredNanos) {
    public Joiner answered(long now) {
        return new Joiner(incarnation, seat, role, group, phase, heardNanos, now);
    }
}
