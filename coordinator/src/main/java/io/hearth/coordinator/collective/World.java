package io.hearth.coordinator.collective;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The workers that work together, all present.
 *
 * @param id newest registration of them; another one after each change
 * @param rank of this worker
 * @param addresses by rank
 */
public record World(long id, int rank, List<String> addresses) {
    public World {
        addresses = List.copyOf(addresses);
    }

    public int size() {
        return addresses.size();
    }

    /**
     * The first {@code size} workers of a list; empty while some of them are missing.
     *
     * @param peers addresses by rank; empty text where no worker has the rank
     * @param registrations beside {@code peers}
     */
    public static Optional<World> of(int rank, int size, List<String> peers, List<Long> registrations) {
        if (rank < 0 || rank >= size || peers.size() < size || registrations.size() < size) {
            return Optional.empty();
        }
        List<String> first = peers.subList(0, size);
        return first.contains("")
                ? Optional.empty()
                : Optional.of(new World(
                        registrations.subList(0, size).stream()
                                .mapToLong(Long::longValue)
                                .max()
                                .orElseThrow(),
                        rank,
                        first));
    }

    /** The ranks that no worker has, of the first {@code size}. */
    public static Set<Integer> missing(int size, List<String> peers) {
        var missing = new TreeSet<Integer>();
        for (int rank = 0; rank < size; rank++) {
            if (rank >= peers.size() || peers.get(rank).isEmpty()) {
                missing.add(rank);
            }
        }
        return missing;
    }
}
