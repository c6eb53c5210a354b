package io.hearth.collective.schedule;

/**
 * The schedules of a reduction to a root, each followed by a {@link CompletionBarrier}. Of two with equal predicted times, the earlier one
 * is chosen.
 */
public enum ReduceAlgorithm {
    /** {@link StarReduce}. */
    STAR,
    /** {@link TreeReduce}. */
    TREE,
    /** {@link RingReduce}. */
    RING
}
