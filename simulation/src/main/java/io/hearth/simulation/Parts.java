package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.identity.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls in which each rank gets a part of its own, or only the root gets something: reduce, gather, scatter and reduce-scatter.
 * This class says what one member sends to another, and what a member holds once that came.
 */
final class Parts {
    private static final int BLOCK_BITS = 7;

    private Parts() {}

    /** Whether members get different parts. */
    static boolean areIn(Signature signature) {
        return !signature.kind().isShared();
    }

    /** The block of one rank in what a member gives. */
    static long block(long value, int rank) {
        return Long.rotateLeft(value, BLOCK_BITS * (rank + 1));
    }

    /** What {@code from} sends to {@code to}, which has that rank; 0 for nothing. */
    static long sent(Signature signature, long value, NodeId from, NodeId to, int rank) {
        return switch (signature.kind()) {
            case REDUCE, GATHER -> isRoot(signature, to) ? value : 0;
            case SCATTER -> isRoot(signature, from) ? block(value, rank) : 0;
            case REDUCE_SCATTER -> block(value, rank);
            case ALL_REDUCE, BROADCAST, CHOICE, BOUNDARY, START, ALL_GATHER, BARRIER -> value;
        };
    }

    /** Whether {@code self} holds its part once those members' inputs came. */
    static boolean areHere(Signature signature, NodeId self, Set<NodeId> came, Collection<NodeId> members) {
        return came.contains(self)
                && switch (signature.kind()) {
                    case REDUCE, GATHER -> !isRoot(signature, self) || came.containsAll(members);
                    case SCATTER -> came.contains(signature.root().orElseThrow());
                    case REDUCE_SCATTER, ALL_REDUCE, BROADCAST, CHOICE, BOUNDARY, START, ALL_GATHER, BARRIER ->
                        came.containsAll(members);
                };
    }

    /** What {@code self} gets, from what came for it; {@code byRank} says in which order blocks lie. */
    static long part(Signature signature, NodeId self, List<NodeId> byRank, Map<NodeId, Frame.Share> came) {
        return switch (signature.kind()) {
            case REDUCE -> isRoot(signature, self) ? sum(came.values()) : 0;
            case GATHER -> isRoot(signature, self) ? inOrder(byRank, came) : 0;
            case SCATTER -> inOrder(List.of(signature.root().orElseThrow()), came);
            case REDUCE_SCATTER, ALL_REDUCE, BROADCAST, CHOICE, BOUNDARY, START, ALL_GATHER, BARRIER ->
                sum(came.values());
        };
    }

    private static boolean isRoot(Signature signature, NodeId node) {
        return signature.root().filter(node::equals).isPresent();
    }

    private static long sum(Collection<Frame.Share> shares) {
        return shares.stream().mapToLong(Frame.Share::value).sum();
    }

    private static long inOrder(List<NodeId> byRank, Map<NodeId, Frame.Share> came) {
        long blocks = 0;
        for (NodeId node : byRank) {
            Frame.Share share = came.get(node);
            blocks = 31 * blocks + (share == null ? 0 : share.value());
        }
        return blocks;
    }
}
