package io.hearth.collective.engine;

import io.hearth.collective.Collective;
import io.hearth.identity.NodeId;
import java.util.List;

/**
 * The ranks of a group as callers see them: the members with which the last call ended; before the first call, those of the newest
 * view. Without any, this node is alone.
 */
final class Ranks {
    private final NodeId self;
    private final GroupRuntime runtime;
    private final ScopedValue<List<NodeId>> begun = ScopedValue.newInstance();

    Ranks(NodeId self, GroupRuntime runtime) {
        this.self = self;
        this.runtime = runtime;
    }

    /**
     * Makes a call that is begun now and runs later: it names its root by the ranks of now, which its caller knew. A member that is lost
     * meanwhile changes the ranks, and the call must not take another node's values for its root's.
     */
    <R> Collective<R> asOfNow(Collective<R> call) {
        List<NodeId> named = runtime.state().ranks();
        return on -> ScopedValue.where(begun, named).call(() -> call.on(on));
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
     * @throws IllegalArgumentException if no node has this rank
     */
    NodeId root(int rank) {
        List<NodeId> members = begun.orElse(runtime.state().ranks());
        requireKnown(rank, members, "roots");
        return members.isEmpty() ? self : members.get(rank);
    }

    /**
     * The node that a call names as its peer.
     *
     * @throws IllegalArgumentException if no node has this rank, or this node has it
     */
    NodeId peer(int rank) {
        List<NodeId> members = runtime.state().ranks();
        requireKnown(rank, members, "ranks");
        if (members.isEmpty() || isSelf(members.get(rank))) {
            throw new IllegalArgumentException("peer must be another rank, got this rank, " + rank);
        }
        return members.get(rank);
    }

    /**
     * The nodes of a subgroup, in the order of the list.
     *
     * @throws IllegalArgumentException if the list is empty, names a rank twice, or no node has one of its ranks
     */
    List<NodeId> members(List<Integer> ofRanks) {
        if (ofRanks.isEmpty() || ofRanks.stream().distinct().count() < ofRanks.size()) {
            throw new IllegalArgumentException("a subgroup has one or more ranks, each once, got " + ofRanks);
        }
        List<NodeId> members = runtime.state().ranks();
        ofRanks.forEach(rank -> requireKnown(rank, members, "ranks"));
        return members.isEmpty()
                ? List.of(self)
                : ofRanks.stream().map(members::get).toList();
    }

    private static void requireKnown(int rank, List<NodeId> members, String what) {
        if (rank < 0 || rank >= Math.max(1, members.size())) {
            throw new IllegalArgumentException(
                    "no rank " + rank + " in a group of " + members.size() + "; " + what + " are 0 to worldSize() - 1");
        }
    }
}
