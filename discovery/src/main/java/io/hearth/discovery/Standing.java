package io.hearth.discovery;

import io.hearth.identity.NodeId;

/** What a peer table knows of who is behind a record. */
public sealed interface Standing {
    /** Nobody was admitted there yet. */
    record Hint() implements Standing {}

    /** The peer is linked: nothing to dial. */
    record Linked(NodeId node) implements Standing {}

    /** The peer was linked, until {@code sinceNanos}. */
    record Lost(NodeId node, long sinceNanos) implements Standing {}

    /** Tells whether this record is known to be {@code node}'s. */
    default boolean isOf(NodeId node) {
        return switch (this) {
            case Hint() -> false;
            case Linked(var linked) -> linked.equals(node);
            case Lost lost -> lost.node().equals(node);
        };
    }
}
