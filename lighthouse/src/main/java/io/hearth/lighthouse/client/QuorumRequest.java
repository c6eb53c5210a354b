package io.hearth.lighthouse.client;

import io.hearth.lighthouse.QuorumMember;
import java.util.List;

/**
 * How a replica group asks a lighthouse for a quorum.
 *
 * @param replicaId 1 to {@link QuorumMember#ID_CHARACTERS_MAX} characters
 * @param address of its manager, or an empty text
 * @param storeAddress of its key-value store, or an empty text
 * @param step steps that it has committed; at least 0
 * @param worldSize ranks of the group; at least 0
 * @param shrinkOnly whether it accepts no members that were not in the quorum before
 * @param commitFailures steps that failed since the last good one; at least 0
 * @param data an object in JSON that all members get, or an empty text
 * @param reconfigureHandles what its ranks' process groups are reached by, in the order of ranks; empty if they have none
 */
public record QuorumRequest(
        String replicaId,
        String address,
        String storeAddress,
        long step,
        long worldSize,
        boolean shrinkOnly,
        long commitFailures,
        String data,
        List<String> reconfigureHandles) {
    public QuorumRequest {
        reconfigureHandles = List.copyOf(reconfigureHandles);
        if (replicaId.isEmpty() || replicaId.length() > QuorumMember.ID_CHARACTERS_MAX) {
            throw new IllegalArgumentException("the id of a replica has 1 to " + QuorumMember.ID_CHARACTERS_MAX
                    + " characters, got " + replicaId.length());
        }
        if (step < 0 || worldSize < 0 || commitFailures < 0) {
            throw new IllegalArgumentException("step, world size and commit failures are at least 0, got " + step + ", "
                    + worldSize + " and " + commitFailures);
        }
    }

    /** A request of a group of one rank, without addresses. */
    public static QuorumRequest of(String replicaId, long step) {
        return new QuorumRequest(replicaId, "", "", step, 1, false, 0, "", List.of());
    }
}
