package io.hearth.collective;

/** Which way a reduction to one root takes; the same on all members. */
public enum ReduceStrategy {
    /** Whichever is predicted to be the fastest for the size, the world and the links. */
    AUTO,
    /** Along the ring, pipelined, the root last: every port carries the bytes once. For large buffers. */
    RING,
    /** Up a binomial tree. For small buffers in large worlds. */
    TREE,
    /** All send to the root, which adds in the order of positions. For small buffers in small worlds. */
    CENTRALIZED
}
