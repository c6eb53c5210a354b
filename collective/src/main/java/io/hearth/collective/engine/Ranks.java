package io.hearth.collective.engine;

import io.hearth.identity.NodeId;
import java.util.List;

/** Who is who in a group, as its callers count: the members with whom the newest call ended. Without any, this node is alone. */
final class Ranks {
    private final NodeId self;
    private final GroupRuntime runtime;

    Ranks(NodeId self, GroupRuntime runtime) {
        this.self = self;
        this.runtime = runtime;
    }

    int own() {
        return Math.max(0, runtime.state().ranks().indexOf(self));
    }

    int count() {
        return Math.max(1, runtime.state().ranks().size());
    }

    boolean isSelf(NodeId node) {
        return node.equals(self);
    }

    /**
     * The node that a call names as its root.
     *
     * @throws IllegalArgumentException nobody has this rank
     */
    NodeId root(int rank) {
        List<NodeId> members = runtime.state().ranks();
        requireKnown(rank, members, "roots");
        return members.isEmpty() ? self : members.get(rank);
    }

    /**
     * The node that a call names as its peer.
     *
     * @throws IllegalArgumentException nobody has this rank, or this node itself
     */
    NodeId peer(int rank) {
        List<NodeId> members = runtime.state().ranks();
        requireKnown(rank, members, "ranks");
        if (members.isEmpty() || isSelf(members.get(rank))) {
            throw new IllegalArgumentException(
                    "rank " + rank + " is this one, which cannot send to itself: name another rank");
        }
        return members.get(rank);
    }

    private static void requireKnown(int rank, List<NodeId> members, String what) {
        if (rank < 0 || rank >= Math.max(1, members.size())) {
            throw new IllegalArgumentException(
                    "no rank " + rank + " in a group of " + members.size() + "; " + what + " are 0 to worldSize() - 1");
        }
    }
}
