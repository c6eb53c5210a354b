package io.hearth.discovery.table;

import io.hearth.identity.NodeId;

/** What a peer table knows of who is behind a record. */
public sealed interface PeerState {
    /** Nobody was admitted there yet. */
    record Hint() implements PeerState {}

    /** The peer is linked: nothing to dial. */
    record Linked(NodeId node) implements PeerState {}

    /** The peer was linked, until {@code sinceNanos}. */
    record Lost(NodeId node, long sinceNanos) implements PeerState {}

    /** Tells whether this record is known to be {@code node}'s. */
    default boolean isOf(NodeId node) {
        return switch (this) {
            case Hint() -> false;
            case Linked(var linked) -> linked.equals(node);
            case Lost lost -> lost.node().equals(node);
        };
    }
}
