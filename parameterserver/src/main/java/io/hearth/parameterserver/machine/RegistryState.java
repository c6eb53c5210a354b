package io.hearth.parameterserver.machine;

import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The registry on one machine.
 *
 * @param isServing whether this machine decides
 * @param members in the order of the view
 * @param reports of members, the newest of each
 * @param leases of trainers: when they end, and how long they are
 * @param waiting calls for a trainer to be registered, or to be removed
 * @param lostNanos since when a part is out of reach
 * @param command number of the command that is not stored yet
 * @param commands that were made
 * @param isRefused whether the newest command was not taken: the next one waits for the next question
 * @param round of the newest question for reports
 * @param askNanos when to ask again
 */
public record RegistryState(
        boolean isServing,
        PartLedger ledger,
        List<NodeId> members,
        SortedMap<NodeId, Report.Heard> reports,
        SortedMap<String, Lease> leases,
        SortedMap<Long, Waiting> waiting,
        SortedMap<Integer, Long> lostNanos,
        Optional<Long> command,
        long commands,
        boolean isRefused,
        long round,
        long askNanos) {
    /** Of a trainer. */
    public record Lease(long endNanos, long spanNanos) {}

    /** A call that waits for the ledger. */
    public record Waiting(String trainer, boolean isJoin) {}

    /** A machine that has heard of nothing. */
    public static final RegistryState START = new RegistryState(
            false,
            PartLedger.EMPTY,
            List.of(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            Optional.empty(),
            0,
            false,
            0,
            0);

    public RegistryState {
        members = List.copyOf(members);
        reports = frozen(reports);
        leases = frozen(leases);
        waiting = frozen(waiting);
        lostNanos = frozen(lostNanos);
    }

    private static <K extends Comparable<K>, V> SortedMap<K, V> frozen(Map<K, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
