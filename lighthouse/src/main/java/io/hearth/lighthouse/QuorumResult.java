package io.hearth.lighthouse;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The part of a quorum that concerns one rank of one replica group.
 *
 * @param quorumId number of the quorum
 * @param replicaRank place of the group among the members, from 0
 * @param replicaWorldSize members
 * @param recoverFromAddress manager of the group from which this rank takes its state; empty if it needs none
 * @param recoverFrom place of that group
 * @param recoverTo places of the groups that take the state of this rank
 * @param storeAddress store in which the ranks of this number meet
 * @param maxStep newest step that a member has committed
 * @param maxReplicaRank place of the group among those with that step; empty if it is behind
 * @param maxWorldSize members with that step
 * @param commitFailures most failures of a member
 * @param replicaIds all members, in order
 * @param reconfigureHandles of each member, for this rank; an empty text if it said nothing
 */
public record QuorumResult(
        long quorumId,
        int replicaRank,
        int replicaWorldSize,
        Optional<String> recoverFromAddress,
        OptionalInt recoverFrom,
        List<Integer> recoverTo,
        String storeAddress,
        long maxStep,
        OptionalInt maxReplicaRank,
        int maxWorldSize,
        long commitFailures,
        List<String> replicaIds,
        List<String> reconfigureHandles) {
    public QuorumResult {
        recoverTo = List.copyOf(recoverTo);
        replicaIds = List.copyOf(replicaIds);
        reconfigureHandles = List.copyOf(reconfigureHandles);
    }
}
