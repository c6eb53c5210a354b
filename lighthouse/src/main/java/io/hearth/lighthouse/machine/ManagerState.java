package io.hearth.lighthouse.machine;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a manager knows.
 *
 * @param asking the newest request of each rank that waits for the others, by rank
 * @param metadata what each rank said last about its state, by rank
 * @param round the requests that the lighthouse is asked for
 * @param rounds rounds so far
 * @param votes by step, then rank
 */
public record ManagerState(
        SortedMap<Long, ManagerEvent.AskQuorum> asking,
        SortedMap<Long, String> metadata,
        Optional<Round> round,
        long rounds,
        SortedMap<Long, SortedMap<Long, ManagerEvent.Vote>> votes) {
    /** Before anything happened. */
    public static final ManagerState START = new ManagerState(
            Collections.emptySortedMap(),
            Collections.emptySortedMap(),
            Optional.empty(),
            0,
            Collections.emptySortedMap());

    /**
     * Requests of all ranks that one call to the lighthouse answers.
     *
     * @param calls by rank; those whose caller is gone are missing
     * @param last the request that completed it: its step and flags are the group's
     * @param failures calls to the lighthouse that failed
     * @param retryNanos when to call again, if a call failed
     */
    public record Round(
            long number,
            SortedMap<Long, ManagerEvent.AskQuorum> calls,
            ManagerEvent.AskQuorum last,
            int failures,
            Optional<Long> retryNanos) {
        public Round {
            calls = Collections.unmodifiableSortedMap(new TreeMap<>(calls));
        }
    }

    public ManagerState {
        asking = Collections.unmodifiableSortedMap(new TreeMap<>(asking));
        metadata = Collections.unmodifiableSortedMap(new TreeMap<>(metadata));
        votes = Collections.unmodifiableSortedMap(new TreeMap<>(votes));
    }
}
