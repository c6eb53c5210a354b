package io.hearth.simulation.process;

import io.hearth.collective.Signature;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.Ending;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.SortedMap;

/** Observes the collectives of all trainers. */
public interface Results {
    /** A member gives {@code value} in a group epoch. */
    void gave(ProcessContext process, String fence, long number, Signature signature, long value);

    /** A member reports that it holds the data of a number. */
    void holds(ProcessContext process, String fence, long number);

    /** A plan that the members of a group epoch may use: that of their view, or one that their lead made for them. */
    void planned(ProcessContext process, String fence, Plan plan);

    /** A member plays a number by that plan. */
    void plays(ProcessContext process, String fence, long number, Plan plan);

    /**
     * A number ended at a member.
     *
     * @param endings of its script, by number
     * @param members of its group
     */
    void ended(
            ProcessContext process, long number, Ending ending, SortedMap<Long, Ending> endings, List<NodeId> members);

    /** A call of a member that was in the view {@code called} ended in the view {@code ended}. */
    void isTold(ProcessContext process, long number, View called, View ended);

    /** A bit flipped in what a trainer holds; the model is this now. */
    void flipped(long model);

    /** A step begins with one state of those that its members claim, by rank. */
    void agreed(List<GroupFrame.Claim> byRank, GroupFrame.Claim agreed);
}
