package io.hearth.collective.schedule;

/** The schedules of a broadcast. Of two with equal predicted times, the earlier one is chosen. */
public enum BroadcastAlgorithm {
    /** {@link TreeBroadcast}, and then a {@link CompletionBarrier}. */
    TREE,
    /** {@link RingBroadcast}, which includes a completion round. */
    RING
}
