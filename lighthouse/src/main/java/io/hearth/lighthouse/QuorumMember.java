package io.hearth.lighthouse;

import io.hearth.core.Bytes;
import java.util.List;

/**
 * A replica group of a training, as it describes itself.
 *
 * @param replicaId 1 to {@link #ID_CHARACTERS_MAX} characters; the same for all ranks of the group
 * @param address of its manager
 * @param storeAddress of its key-value store, in which its ranks meet
 * @param step steps that it has committed; at least 0
 * @param worldSize ranks of the group
 * @param shrinkOnly whether it accepts no members that were not in the quorum before
 * @param commitFailures steps that failed since the last good one; at least 0
 * @param data an object in JSON that its trainers pass on, or an empty text
 * @param reconfigureHandles what its ranks' process groups are reached by, in the order of ranks; empty if they said nothing
 * @param encoded the whole message, with fields that this version does not know; it is passed on as it is
 */
public record QuorumMember(
        String replicaId,
        String address,
        String storeAddress,
        long step,
        long worldSize,
        boolean shrinkOnly,
        long commitFailures,
        String data,
        List<String> reconfigureHandles,
        Bytes encoded) {
    /** Characters of an id. */
    public static final int ID_CHARACTERS_MAX = 256;

    public QuorumMember {
        reconfigureHandles = List.copyOf(reconfigureHandles);
    }
}
