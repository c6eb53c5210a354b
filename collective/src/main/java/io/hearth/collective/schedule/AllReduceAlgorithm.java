package io.hearth.collective.schedule;

/** The schedules of an all-reduce. Of two with equal predicted times, the earlier one is chosen. */
public enum AllReduceAlgorithm {
    /** {@link WholeExchange}. */
    WHOLE_EXCHANGE,
    /** {@link DirectAllReduce}. */
    DIRECT,
    /** {@link RingAllReduce}. */
    RING,
    /** {@link TreeAllReduce}. */
    TREE,
    /** {@link StarAllReduce}. */
    STAR,
    /** {@link IslandAllReduce}. */
    ISLANDS
}
