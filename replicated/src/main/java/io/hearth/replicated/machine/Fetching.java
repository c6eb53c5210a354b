package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Position;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.StoreId;
import java.util.List;
import java.util.Optional;

/**
 * A request that was sent and not answered.
 *
 * @param after the position after which entries were asked for; an answer to an earlier request does not count
 * @param sentNanos when; {@link Long#MIN_VALUE} if it has to be sent again
 * @param download the parts of a snapshot that came so far
 */
record Fetching(
        NodeId from,
        StoreId store,
        Optional<Ballot> ballot,
        Optional<Position> after,
        long sentNanos,
        Optional<Download> download) {
    /**
     * A snapshot under way.
     *
     * @param parts in order, without a gap
     * @param size of all parts, in bytes
     */
    record Download(Position at, Replicas replicas, int total, List<Bytes> parts, int size) {
        Download {
            parts = List.copyOf(parts);
        }
    }
}
