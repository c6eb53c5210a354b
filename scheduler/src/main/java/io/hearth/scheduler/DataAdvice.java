package io.hearth.scheduler;

import java.util.List;
import java.util.Optional;

/**
 * The answer to a request for data.
 *
 * @param shard empty if there is no such job
 * @param ownerAddress of the shard's owner; empty if none is here
 * @param prefetchBytes to read ahead
 * @param isCached whether to keep what was read
 * @param optimalNodes nodes that are near to their data sets
 */
public record DataAdvice(
        Optional<Shard> shard, String ownerAddress, long prefetchBytes, boolean isCached, List<String> optimalNodes) {
    public DataAdvice {
        optimalNodes = List.copyOf(optimalNodes);
    }
}
