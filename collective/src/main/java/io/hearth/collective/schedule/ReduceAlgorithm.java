package io.hearth.collective.schedule;

/** The schedules of a reduction to a root, each followed by a {@link CompletionBarrier}; of equally fast ones an earlier one is chosen. */
public enum ReduceAlgorithm {
    /** {@link StarReduce}. */
    STAR,
    /** {@link TreeReduce}. */
    TREE,
    /** {@link RingReduce}. */
    RING
}
