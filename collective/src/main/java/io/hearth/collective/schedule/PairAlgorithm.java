package io.hearth.collective.schedule;

/** The schedules of a reduce-scatter and of an all-gather; of equally fast ones an earlier one is chosen. */
public enum PairAlgorithm {
    /** {@link DirectReduceScatter} or {@link DirectAllGather}. */
    DIRECT,
    /** {@link RingReduceScatter} or {@link RingAllGather}. */
    RING
}
