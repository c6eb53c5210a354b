package io.hearth.replicated;

import io.hearth.election.Ballot;
import java.util.Optional;

/**
 * What a replica has on disk.
 *
 * @param promised the highest ballot to which the replica promised to follow no lower one
 * @param log begins at the snapshot
 */
public record StoreRecord(StoreId id, Optional<Ballot> promised, Snapshot snapshot, Log log) {
    public StoreRecord {
        if (!log.base().equals(snapshot.at())) {
            throw new IllegalArgumentException(
                    "the log begins at " + log.base() + ", the snapshot is of " + snapshot.at());
        }
    }
}
