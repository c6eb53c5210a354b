package io.hearth.replicated;

import io.hearth.election.Ballot;
import java.util.List;
import java.util.Optional;

/** One write of a replica; it is done when a sync returned. */
public sealed interface DiskTask {
    /** Replaces the file, as a whole or not at all. */
    record Whole(StoreRecord record) implements DiskTask {}

    /**
     * Entries that follow those up to {@code keep}, in place of others that may be there.
     *
     * @param promised replaces the former promise
     */
    record Append(Optional<Ballot> promised, long keep, List<Entry> entries) implements DiskTask {
        public Append {
            entries = List.copyOf(entries);
        }
    }
}
