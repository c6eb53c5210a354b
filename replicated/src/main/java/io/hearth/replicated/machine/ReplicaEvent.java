package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.ReplicaMessage;
import io.hearth.replicated.StoreId;
import java.util.List;

/** Events of a replica. */
public sealed interface ReplicaEvent {
    /**
     * This node lives in a new committed view.
     *
     * @param members the nodes that may serve, in view order, this one among them
     */
    record Viewed(Lineage lineage, long epoch, List<NodeId> members) implements ReplicaEvent {
        public Viewed {
            members = List.copyOf(members);
        }
    }

    /** A link to this node is up. */
    record Linked(NodeId node) implements ReplicaEvent {}

    /** The link to this node is gone; what was on its way is lost. */
    record Unlinked(NodeId node) implements ReplicaEvent {}

    record Received(NodeId from, ReplicaMessage message) implements ReplicaEvent {}

    /** All writes up to this ticket are on disk. */
    record Written(long ticket) implements ReplicaEvent {}

    /** The write with this ticket failed, and none after it was tried. */
    record WriteFailed(long ticket, String why) implements ReplicaEvent {}

    /**
     * A service wants a command in the log.
     *
     * @param store to which its origin sent it first; a command is applied there, or in a store that absorbed it
     */
    record Submit(StoreId store, CommandKey key, Bytes command) implements ReplicaEvent {}

    /** A service of this node wants to read what is newest; {@code id} comes back with the outcome. */
    record Read(long id) implements ReplicaEvent {}

    /** Time passed. {@code wallMillis} is the wall clock and {@code nonce} random: both only name a store that is founded now. */
    record Tick(long wallMillis, long nonce) implements ReplicaEvent {}
}
