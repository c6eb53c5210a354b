package io.hearth.coordinator.machine;

import io.hearth.replicated.Application;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What survives the machine of a coordinator: workers with their ranks, and checkpoints.
 *
 * @param byId workers
 * @param byRank the same workers
 * @param checkpoints by epoch, in the order in which they were started
 * @param registrations number of the newest registration
 * @param version rises with each change of the workers
 */
public record WorkerLedger(
        SortedMap<String, RegisteredWorker> byId,
        SortedMap<Integer, RegisteredWorker> byRank,
        Map<Long, Checkpoint> checkpoints,
        long registrations,
        long version) {
    /** No worker came yet. */
    public static final WorkerLedger EMPTY =
            new WorkerLedger(Collections.emptySortedMap(), Collections.emptySortedMap(), Map.of(), 0, 0);

    /** The ledger as replicated state. Commands and answers are those of {@link WorkerCommand}. */
    public static final Application<WorkerLedger> APPLICATION = new WorkerApplication();

    public WorkerLedger {
        byId = Collections.unmodifiableSortedMap(byId); // made for this ledger only
        byRank = Collections.unmodifiableSortedMap(byRank);
        checkpoints = Collections.unmodifiableMap(new LinkedHashMap<>(checkpoints));
    }

    /** Ranks up to the highest that is in use. */
    public int ranks() {
        return byRank.isEmpty() ? 0 : byRank.lastKey() + 1;
    }

    /** Addresses by rank; empty text where no worker has the rank. */
    public List<String> peers() {
        var peers = new ArrayList<>(Collections.nCopies(ranks(), ""));
        byRank.forEach((rank, worker) -> peers.set(rank, worker.address()));
        return peers;
    }

    /** Numbers of registrations by rank; 0 where nobody has the rank. */
    public List<Long> registrationsByRank() {
        var numbers = new ArrayList<>(Collections.nCopies(ranks(), 0L));
        byRank.forEach((rank, worker) -> numbers.set(rank, worker.registration()));
        return numbers;
    }

    /** The lowest rank that nobody has: so a gap is closed first. */
    int freeRank() {
        int rank = 0;
        for (int taken : byRank.keySet()) {
            if (taken != rank) {
                return rank;
            }
            rank++;
        }
        return rank;
    }

    long openCheckpoints() {
        return checkpoints.values().stream().filter(each -> !each.isComplete()).count();
    }

    WorkerLedger with(RegisteredWorker worker) {
        var ids = new TreeMap<>(byId);
        var ranks = new TreeMap<>(byRank);
        ids.put(worker.id(), worker);
        ranks.put(worker.rank(), worker);
        return new WorkerLedger(ids, ranks, checkpoints, worker.registration(), version + 1);
    }

    /** Without these workers; checkpoints no longer wait for them. */
    WorkerLedger without(List<RegisteredWorker> gone) {
        if (gone.isEmpty()) {
            return this;
        }
        var ids = new TreeMap<>(byId);
        var ranks = new TreeMap<>(byRank);
        var left = new LinkedHashMap<>(checkpoints);
        for (RegisteredWorker worker : gone) {
            ids.remove(worker.id());
            ranks.remove(worker.rank());
            left.replaceAll((_, checkpoint) -> checkpoint.left(worker.registration()));
        }
        return new WorkerLedger(ids, ranks, left, registrations, version + 1);
    }

    /** With a checkpoint, as the newest one if it is new; the oldest complete one may be forgotten for it. */
    WorkerLedger with(Checkpoint checkpoint, boolean isNew) {
        var all = new LinkedHashMap<>(checkpoints);
        if (isNew) {
            all.remove(checkpoint.epoch());
        }
        all.put(checkpoint.epoch(), checkpoint);
        forgetOld(all);
        return new WorkerLedger(byId, byRank, all, registrations, version);
    }

    static void forgetOld(Map<Long, Checkpoint> all) {
        if (all.size() > Bounds.CHECKPOINTS_MAX) {
            @Nullable
            Checkpoint oldest = all.values().stream()
                    .filter(Checkpoint::isComplete)
                    .findFirst()
                    .orElse(null);
            if (oldest != null) {
                all.remove(oldest.epoch());
            }
        }
    }
}
