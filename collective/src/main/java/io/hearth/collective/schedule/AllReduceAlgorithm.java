package io.hearth.collective.schedule;

/** The schedules that end in an all-reduce; of equally fast ones an earlier one is chosen. */
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
    STAR
}
