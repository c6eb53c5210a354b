package io.hearth.agent.history;

import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * What a trainer reports to the agent of its machine, about once a second.
 *
 * @param rank of this trainer; -1 while it has none
 * @param world ranks of the group; 0 while it has none
 * @param startedMillis wall time of the trainer's start
 * @param progress what the script reported last; empty before its first report
 * @param sums counters of all-reduces
 */
public record JobReport(
        NodeId trainer, String group, int rank, int world, long startedMillis, Optional<Progress> progress, Sums sums) {

    /**
     * Progress of a training.
     *
     * @param step from 0
     * @param steps of the whole training; 0 if not known
     * @param loss finite
     */
    public record Progress(long step, long steps, double loss) {}

    /**
     * Collectives of a trainer since its start; what does not name another kind counts all-reduces.
     *
     * @param seconds spent in them
     * @param wireBytes sent by this rank
     * @param plainBytes that this rank would have sent without compression and overhead
     * @param compression the compression in use, for people; empty if there is none
     */
    public record Sums(
            long completed,
            long failed,
            long repeated,
            double seconds,
            long wireBytes,
            long plainBytes,
            long barriers,
            long broadcasts,
            String compression) {}
}
