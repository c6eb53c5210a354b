package io.hearth.election.view.state;

import io.hearth.identity.NodeId;
import java.util.List;

/** Whether this node waits for a quorum. */
public sealed interface QuorumLoss {
    QuorumLoss FLOWING = new Flowing();

    record Flowing() implements QuorumLoss {}

    /**
     * No view can be committed.
     *
     * @param sinceNanos time since when
     * @param silent members whose machines are not heard now
     * @param told members of the last report
     * @param toldNanos time of the last report
     */
    record Stalled(long sinceNanos, List<NodeId> silent, List<NodeId> told, long toldNanos) implements QuorumLoss {}
}
