package io.hearth.collective;

import java.util.List;

/**
 * Counters of one backend since its start.
 *
 * @param allReducesCompleted all-reduces that returned a result
 * @param allReducesFailed all-reduces that threw
 * @param allReduceSeconds time in all-reduces, completed or not
 * @param barriers barriers that returned
 * @param broadcasts broadcasts that returned
 * @param wireBytes bytes that this rank sent for all-reduces, record headers and cipher tags included
 * @param denseBytes bytes that this rank would have sent for the completed all-reduces without compression and overhead
 * @param peers other members of the group, as the world size counts them
 * @param repeatedAfterLoss exchanges that were repeated in a later view
 * @param choices the present choices of {@code auto} compression, by size
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
