package io.hearth.identity.roster.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEntry;
import java.util.List;
import java.util.Optional;

/** The messages about rosters between two machines of a namespace, always inside an encrypted link. */
public sealed interface RosterMessage {
    /** Most entries of one page, which take some milliseconds to check. */
    int PAGE_ENTRIES_MAX = 64;

    /**
     * A summary of the sender's state.
     * @param digest of its roster, 32 bytes
     * @param generation of its secret
     * @param keyId of its secret
     */
    record Summary(Bytes digest, int generation, Bytes keyId) implements RosterMessage {}

    /**
     * A page of entries.
     * @param charter of the sender's generation, for a receiver of the same generation without a charter
     */
    record Page(Optional<Charter> charter, List<RosterEntry> entries) implements RosterMessage {
        public Page {
            entries = List.copyOf(entries);
            if (entries.size() > PAGE_ENTRIES_MAX) {
                throw new IllegalArgumentException(
                        "a page must have at most " + PAGE_ENTRIES_MAX + " entries, got " + entries.size());
            }
        }
    }

    /** The sender's secret, for a member that has another one. */
    record Secret(RosterBook.Offer offer) implements RosterMessage {}
}
