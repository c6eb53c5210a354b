package io.hearth.agent.history;

import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a trainer reports to the agent of its machine, about once a second.
 *
 * @param rank of this trainer; -1 while it has none
 * @param world ranks of the group; 0 while it has none
 * @param startedMillis wall time of the trainer's start
 * @param progress what the script reported last; empty before its first report
 * @param collectives what it did with the others
 */
public record JobReport(
        NodeId trainer,
        String group,
        int rank,
        int world,
        long startedMillis,
        Optional<Progress> progress,
        Collectives collectives) {

    /**
     * Progress of a training.
     *
     * @param step from 0
     * @param steps of the whole training; 0 if not known
     * @param loss finite
     */
    public record Progress(long step, long steps, double loss) {}

    /**
     * Collectives of a trainer since its start.
     *
     * @param operations counters by kind of call; a kind that was never called may be missing
     * @param repeated exchanges that were repeated after the loss of a member
     * @param plainBytes that this rank would have sent for all-reduces without compression and overhead
     * @param codecSeconds time in which values were compressed or decompressed
     * @param compression the compression in use, for people; empty if there is none
     */
    public record Collectives(
            Map<Operation, OperationCounts> operations,
            long repeated,
            long plainBytes,
            double codecSeconds,
            String compression) {
        public Collectives {
            operations = Collections.unmodifiableMap(new TreeMap<>(operations));
        }

        /** Counters of the all-reduces. */
        public OperationCounts sums() {
            return operations.getOrDefault(Operation.ALL_REDUCE, OperationCounts.NONE);
        }
    }
}
