package io.hearth.discovery.table;

import io.hearth.identity.NodeId;

/** A peer table's knowledge of the node behind a record. */
public sealed interface PeerState {
    /** No node was admitted at its addresses yet. */
    record Hint() implements PeerState {}

    /** The peer is linked: nothing to dial. */
    record Linked(NodeId node) implements PeerState {}

    /** The peer was linked, until {@code sinceNanos}. */
    record Lost(NodeId node, long sinceNanos) implements PeerState {}

    /** Whether the record is known to be {@code node}'s. */
    default boolean isOf(NodeId node) {
        return switch (this) {
            case Hint() -> false;
            case Linked(var linked) -> linked.equals(node);
            case Lost lost -> lost.node().equals(node);
        };
    }
}
