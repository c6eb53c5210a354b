package io.hearth.simulation.call;

import io.hearth.collective.Signature;
import io.hearth.identity.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls in which each rank gets its own part, or only the root gets a result: reduce, gather, scatter, reduce-scatter and all-to-all. This class
 * computes the value that one member sends to another, and the value that a member holds in the end.
 */
public final class Parts {
    private static final int BLOCK_BITS = 7;

    private Parts() {}

    /** Whether members get different parts. */
    public static boolean areIn(Signature signature) {
        return !signature.kind().isKept() && signature.kind() != Signature.Kind.BROADCAST;
    }

    /** The block of one rank in a member's input. */
    public static long block(long value, int rank) {
        return Long.rotateLeft(value, BLOCK_BITS * (rank + 1));
    }

    /** The value that {@code from} sends to {@code to}, which has that rank; 0 if it sends none. */
    public static long sent(Signature signature, long value, NodeId from, NodeId to, int rank) {
        return switch (signature.kind()) {
            case REDUCE, GATHER -> isRoot(signature, to) ? value : 0;
            case SCATTER -> isRoot(signature, from) ? block(value, rank) : 0;
            case REDUCE_SCATTER, ALL_TO_ALL -> block(value, rank);
            case ALL_REDUCE, BROADCAST, CHOICE, BOUNDARY, START, PLAN, ALL_GATHER, BARRIER -> value;
        };
    }

    /** Whether {@code self} holds its part once the inputs of those members arrived. */
    public static boolean areHere(Signature signature, NodeId self, Set<NodeId> came, Collection<NodeId> members) {
        return came.contains(self)
                && switch (signature.kind()) {
                    case REDUCE, GATHER -> !isRoot(signature, self) || came.containsAll(members);
                    case SCATTER -> came.contains(signature.root().orElseThrow());
                    case REDUCE_SCATTER,
                            ALL_TO_ALL,
                            ALL_REDUCE,
                            BROADCAST,
                            CHOICE,
                            BOUNDARY,
                            START,
                            PLAN,
                            ALL_GATHER,
                            BARRIER -> came.containsAll(members);
                };
    }

    /** The result of {@code self} from its received inputs; {@code byRank} is the order of the blocks. */
    public static long part(Signature signature, NodeId self, List<NodeId> byRank, Map<NodeId, GroupFrame.Share> came) {
        return switch (signature.kind()) {
            case REDUCE -> isRoot(signature, self) ? sum(came.values()) : 0;
            case GATHER -> isRoot(signature, self) ? inOrder(byRank, came) : 0;
            case ALL_TO_ALL -> inOrder(byRank, came);
            case SCATTER -> inOrder(List.of(signature.root().orElseThrow()), came);
            case REDUCE_SCATTER, ALL_REDUCE, BROADCAST, CHOICE, BOUNDARY, START, PLAN, ALL_GATHER, BARRIER ->
                sum(came.values());
        };
    }

    private static boolean isRoot(Signature signature, NodeId node) {
        return signature.root().filter(node::equals).isPresent();
    }

    private static long sum(Collection<GroupFrame.Share> shares) {
        return shares.stream().mapToLong(GroupFrame.Share::value).sum();
    }

    private static long inOrder(List<NodeId> byRank, Map<NodeId, GroupFrame.Share> came) {
        long blocks = 0;
        for (NodeId node : byRank) {
            GroupFrame.Share share = came.get(node);
            blocks = 31 * blocks + (share == null ? 0 : share.value());
        }
        return blocks;
    }
}
