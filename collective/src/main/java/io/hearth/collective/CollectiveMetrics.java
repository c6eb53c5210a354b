package io.hearth.collective;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Counters of one backend since its start.
 *
 * @param operations by kind of call; a kind that was never called is not listed
 * @param denseBytes bytes that this rank would have sent for the completed all-reduces without compression and overhead
 * @param codecSeconds time in which values were compressed or decompressed; threads of one moment add up
 * @param peers other members of the group, as the world size counts them
 * @param repeatedAfterLoss exchanges that were repeated in a later view
 * @param choices the present choices of {@code auto} compression, by size
 */
public record CollectiveMetrics(
        Map<Operation, OperationCounts> operations,
        long denseBytes,
        double codecSeconds,
        int peers,
        long repeatedAfterLoss,
        List<CompressionChoice> choices) {
    public CollectiveMetrics {
        var sorted = new EnumMap<Operation, OperationCounts>(Operation.class);
        sorted.putAll(operations);
        operations = Collections.unmodifiableMap(sorted);
        choices = List.copyOf(choices);
    }

    /** Counters of one kind of call, zeros if it was never called. */
    public OperationCounts of(Operation operation) {
        return operations.getOrDefault(operation, OperationCounts.NONE);
    }

    /** Bytes that this rank sent for all-reduces, record headers and cipher tags included. */
    public long wireBytes() {
        return of(Operation.ALL_REDUCE).sentBytes();
    }
}
