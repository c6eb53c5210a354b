package io.hearth.coordinator.machine;

import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a coordinator knows.
 *
 * @param isServing whether this node answers
 * @param ledger the newest that is stored
 * @param heard when workers were heard
 * @param checkNanos no worker is silent for too long before this instant; without a meaning if there are no workers
 * @param evicting registrations that are being taken off the list
 * @param open requests whose command is being stored, by attempt
 * @param attempts commands so far; the number of the newest
 */
public record CoordinatorState(
        boolean isServing,
        WorkerLedger ledger,
        HeardTimes heard,
        long checkNanos,
        Set<Long> evicting,
        SortedMap<Long, CoordinatorEvent.Call> open,
        long attempts) {
    /** Before anything happened. */
    public static final CoordinatorState START = new CoordinatorState(
            false, WorkerLedger.EMPTY, HeardTimes.NONE, 0, Set.of(), Collections.emptySortedMap(), 0);

    public CoordinatorState {
        evicting = evicting.isEmpty() ? Set.of() : Collections.unmodifiableSet(new TreeSet<>(evicting));
        open = open.isEmpty() ? Collections.emptySortedMap() : Collections.unmodifiableSortedMap(new TreeMap<>(open));
    }
}
