package io.hearth.scheduler;

import java.util.List;
import java.util.OptionalDouble;

/**
 * A job as callers see it.
 *
 * @param reason why it is over, for people; may be empty
 * @param epoch in which its shards are now, from 1
 * @param completed shards of this epoch that are complete
 * @param samplesPerSecond of all nodes together
 * @param etaSeconds until the last sample; empty while nobody knows
 * @param barrier newest epoch whose barrier all passed
 * @param nodes empty in lists
 */
public record JobView(
        JobSpec spec,
        JobState state,
        String reason,
        int epoch,
        int completed,
        double samplesPerSecond,
        OptionalDouble etaSeconds,
        long barrier,
        List<NodeView> nodes) {
    public JobView {
        nodes = List.copyOf(nodes);
    }

    /**
     * A node of a job.
     *
     * @param epoch epochs that it completed
     * @param samples that it processed since the job began
     * @param openShards that it has to complete in this epoch
     */
    public record NodeView(
            String id,
            NodeStatus status,
            long epoch,
            long samples,
            double samplesPerSecond,
            int openShards,
            boolean isStraggler) {}

    /** The same without its nodes. */
    public JobView brief() {
        return new JobView(spec, state, reason, epoch, completed, samplesPerSecond, etaSeconds, barrier, List.of());
    }
}
