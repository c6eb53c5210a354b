package io.hearth.collective;

/** Algorithm of a reduction to one root; all members must choose the same. */
public enum ReduceStrategy {
    /** The algorithm with the shortest predicted time for the size, the world and the links. */
    AUTO,
    /** Along the ring, pipelined, the root last: every port carries the bytes once. For large buffers. */
    RING,
    /** Up a binomial tree. For small buffers in large worlds. */
    TREE,
    /** All members send to the root, which adds in the order of positions. For small buffers in small worlds. */
    CENTRALIZED
}
