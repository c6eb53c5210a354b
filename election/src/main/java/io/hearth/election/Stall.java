package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.List;

/** Whether this node waits for a quorum. */
sealed interface Stall {
    Stall FLOWING = new Flowing();

    record Flowing() implements Stall {}

    /**
     * No view can be committed.
     *
     * @param sinceNanos since when
     * @param silent members whose machines are not heard now
     * @param told members that were last said to be waited for
     * @param toldNanos when that was said
     */
    record Stalled(long sinceNanos, List<NodeId> silent, List<NodeId> told, long toldNanos) implements Stall {}
}
