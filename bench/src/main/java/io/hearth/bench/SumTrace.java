package io.hearth.bench;

import io.hearth.collective.CollectiveTrace;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;

/** Records how the sums of one size were played on this rank: by which schedules, and to which ranks they sent. Thread-safe. */
final class SumTrace implements CollectiveTrace {
    private final long bytes;
    private final ConcurrentMap<Long, Set<Integer>> sending = new ConcurrentHashMap<>(); // of collectives that run
    private final Set<Integer> peers = new ConcurrentSkipListSet<>();
    private final Set<String> algorithms = new ConcurrentSkipListSet<>();

    /**
     * @param bytes of the buffers that count
     */
    SumTrace(long bytes) {
        this.bytes = bytes;
    }

    @Override
    public void segment(long number, Phase phase, int rank, long size, long sinceNanos, long untilNanos) {
        if (phase == Phase.SEND && size > 0) {
            sending.computeIfAbsent(number, _ -> new ConcurrentSkipListSet<>()).add(rank);
        }
    }

    @Override
    public void ended(Collective collective) {
        Set<Integer> ranks = sending.remove(collective.number());
        if (collective.bytes() == bytes) {
            algorithms.add(collective.algorithm());
            if (ranks != null) {
                peers.addAll(ranks);
            }
        }
    }

    /** The schedules, joined by a plus sign. */
    String algorithms() {
        return String.join("+", algorithms);
    }

    /** Number of ranks that this one sent values to. */
    int peers() {
        return peers.size();
    }
}
