package io.hearth.discovery;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A hint that a peer may listen at some addresses. Nothing is believed before the link's handshake succeeds.
 *
 * @param name of the record at its source, at most 300 characters: two sightings of one name mean one peer, and the later one may add
 *     addresses. Only this name ties addresses together before a peer is admitted
 * @param candidates 1 to {@value #CANDIDATES_MAX} addresses
 * @param source kind of the source that reports it
 * @param generation of the namespace's secret that made the record's tag; empty where the source has no tag
 * @param nonces of both tags; empty where the peer cannot have seen this node by the same source
 */
public record Sighting(
        String name, List<Candidate> candidates, SourceKind source, OptionalInt generation, Optional<Nonces> nonces) {
    /** Most addresses kept for one peer. */
    public static final int CANDIDATES_MAX = 8;

    private static final int NAME_CHARACTERS_MAX = 300;

    /** A sighting by a source without nonces. */
    public Sighting(String name, List<Candidate> candidates, SourceKind source, OptionalInt generation) {
        this(name, candidates, source, generation, Optional.empty());
    }

    public Sighting {
        candidates = List.copyOf(candidates);
        if (name.isEmpty() || name.length() > NAME_CHARACTERS_MAX) {
            throw new IllegalArgumentException(
                    "name must have 1 to " + NAME_CHARACTERS_MAX + " characters, got " + name.length());
        }
        if (candidates.isEmpty() || candidates.size() > CANDIDATES_MAX) {
            throw new IllegalArgumentException(
                    "candidates must be 1 to " + CANDIDATES_MAX + ", got " + candidates.size());
        }
    }
}
