package io.hearth.collective;

import java.util.List;

/**
 * Counters of one backend since its start.
 *
 * @param allReducesCompleted that returned a result
 * @param allReducesFailed that threw
 * @param allReduceSeconds spent in all-reduces, completed or not
 * @param barriers that returned
 * @param broadcasts that returned
 * @param wireBytes sent by this rank for all-reduces, heads and tags included
 * @param denseBytes that this rank would have sent for the completed all-reduces without compression and overhead
 * @param peers other members of the group, as the world size counts them
 * @param repeatedAfterLoss exchanges that ran again in a later view
 * @param choices what {@code auto} compression holds for best at the moment, by size
 */
public record CollectiveMetrics(
        long allReducesCompleted,
        long allReducesFailed,
        double allReduceSeconds,
        long barriers,
        long broadcasts,
        long wireBytes,
        long denseBytes,
        int peers,
        long repeatedAfterLoss,
        List<CompressionChoice> choices) {
    public CollectiveMetrics {
        choices = List.copyOf(choices);
    }
}
