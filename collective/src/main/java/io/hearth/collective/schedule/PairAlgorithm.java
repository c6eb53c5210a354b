package io.hearth.collective.schedule;

/** The schedules of a reduce-scatter and of an all-gather. Of two with equal predicted times, the earlier one is chosen. */
public enum PairAlgorithm {
    /** {@link DirectReduceScatter} or {@link DirectAllGather}. */
    DIRECT,
    /** {@link RingReduceScatter} or {@link RingAllGather}. */
    RING
}
