package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Comparator;

/**
 * A node in a view.
 *
 * @param node its id
 * @param incarnation the start of the node
 * @param entryEpoch epoch of this lineage whose view admitted this incarnation; never carried from another lineage
 * @param role agent or trainer
 * @param group the trainer's training job; empty for agents
 * @param seat random bits that name the record with which the node's machine votes; all members of one machine have the same
 */
public record Member(NodeId node, long incarnation, long entryEpoch, Role role, String group, long seat) {
    /** The order of members in a view: entry epoch, agents before trainers, node id. Rank = position. */
    public static final Comparator<Member> ORDER = Comparator.comparingLong(Member::entryEpoch)
            .thenComparing(Member::role)
            .thenComparing(Member::node);

    public Member {
        if ((role == Role.TRAINER) == group.isEmpty()) {
            throw new IllegalArgumentException(
                    "a trainer has a group and an agent has none, got " + role + " '" + group + "'");
        }
    }

    /** The identity that votes: all processes of one home share it. */
    public PeerId machine() {
        return node.peer();
    }
}
