package io.hearth.collective.schedule;

/** The schedules of a broadcast; of equally fast ones an earlier one is chosen. */
public enum BroadcastAlgorithm {
    /** {@link TreeBroadcast}, and then a {@link CompletionBarrier}. */
    TREE,
    /** {@link RingBroadcast}, which has its own held round. */
    RING
}
