package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.util.List;

/**
 * The members of one group epoch, and the plan of the ways that bytes take between them.
 *
 * @param lineage in the text form of its owner; empty before the first view
 * @param fence lineage and group epoch; empty before the first view
 * @param members by rank
 * @param plan for this number of ranks
 */
public record GroupLayout(String lineage, String fence, List<NodeId> members, Plan plan) {
    /** Before the first view. */
    public static final GroupLayout NONE = new GroupLayout("", "", List.of(), Plan.NONE);

    public GroupLayout {
        members = List.copyOf(members);
        int world = members.size();
        if (plan.world().orElse(world) != world) {
            throw new IllegalArgumentException(
                    "a plan for " + plan.world().orElse(world) + " ranks does not fit " + world);
        }
    }

    /** The members in hop order: each sends to the next, the last to the first. */
    public List<NodeId> ring() {
        return GroupPlan.ring(members, plan);
    }

    /** The same members with another plan. */
    public GroupLayout planned(Plan other) {
        return new GroupLayout(lineage, fence, members, other);
    }
}
