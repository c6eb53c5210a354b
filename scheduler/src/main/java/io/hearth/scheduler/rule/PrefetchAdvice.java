package io.hearth.scheduler.rule;

import io.hearth.scheduler.Topology;

/**
 * How much to read ahead.
 *
 * @param bytes to read ahead
 * @param isCached whether to keep what was read: other nodes will want it
 */
public record PrefetchAdvice(long bytes, boolean isCached) {
    private static final long KIB = 1024;

    /** Of a job that nobody knows. */
    public static final PrefetchAdvice UNKNOWN_JOB = new PrefetchAdvice(64 * KIB, false);

    /** Of a job with this topology: all-reduce hides its waits behind more data. */
    public static PrefetchAdvice of(Topology topology, int batch, int nodes) {
        long bytes = switch (topology) {
            case ALL_REDUCE -> 4 * KIB * batch;
            case PARAMETER_SERVER -> 2 * KIB * batch;
            case UNKNOWN, HIERARCHICAL, FEDERATED_LEARNING, DATA_PARALLEL, MODEL_PARALLEL -> 256 * KIB;
        };
        return new PrefetchAdvice(bytes, nodes > 1);
    }
}
