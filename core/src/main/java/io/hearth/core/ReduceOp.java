package io.hearth.core;

/** How a collective combines the contributions of its members. */
public enum ReduceOp {
    SUM,
    /** The sum divided by the number of members that really contributed. */
    AVG,
    MIN,
    MAX,
    PROD
}
