package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.List;

/** Events about the choice of the master, for observers. */
public sealed interface ElectionEvent {
    /** This node started a ballot; {@code why} a change is needed. */
    record Started(Lineage lineage, long epoch, Ballot ballot, String why) implements ElectionEvent {}

    /** This node is rank 0 of a view in which it was not before. */
    record ElectedSelf(Lineage lineage, long epoch) implements ElectionEvent {}

    /** Another node is rank 0 of a view in which it was not before. */
    record NewMaster(NodeId master, Lineage lineage, long epoch) implements ElectionEvent {}

    /** A ballot of this node ended without a view. */
    record TimedOut(Lineage lineage, long epoch, Ballot ballot) implements ElectionEvent {}

    /** A member of the last view is not in the new one; {@code why} is this node's opinion. */
    record MemberRemoved(NodeId node, Lineage lineage, long epoch, String why) implements ElectionEvent {}

    /** Two views of one lineage and epoch, or two proposals of one ballot, conflict: the one from {@code source} was rejected. */
    record Conflict(ViewSource source, String why) implements ElectionEvent {}

    /**
     * No view can be committed. Repeated when the set of missing members changes.
     *
     * @param why text for people that includes the other components
     * @param waitingFor members whose machines are not heard or do not vote
     */
    record Stalled(Lineage lineage, long epoch, String why, List<NodeId> waitingFor) implements ElectionEvent {
        public Stalled {
            waitingFor = List.copyOf(waitingFor);
        }
    }
}
