package io.hearth.identity.roster.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEntry;
import java.util.List;
import java.util.Optional;

/** What two machines of a namespace tell one another of their rosters; only ever inside an encrypted link. */
public sealed interface RosterMessage {
    /** Most entries of one page: some milliseconds of work. */
    int PAGE_ENTRIES_MAX = 64;

    /**
     * What the sender has.
     *
     * @param digest of its roster, 32 bytes
     * @param generation of its secret
     * @param keyId of its secret
     */
    record Summary(Bytes digest, int generation, Bytes keyId) implements RosterMessage {}

    /**
     * Some entries.
     *
     * @param charter of the sender's generation, for a receiver of the same one that has none
     */
    record Page(Optional<Charter> charter, List<RosterEntry> entries) implements RosterMessage {
        public Page {
            entries = List.copyOf(entries);
            if (entries.size() > PAGE_ENTRIES_MAX) {
                throw new IllegalArgumentException("a page has at most " + PAGE_ENTRIES_MAX + " entries");
            }
        }
    }

    /** The sender's secret, for a member that has another. */
    record Secret(RosterBook.Offer offer) implements RosterMessage {}
}
