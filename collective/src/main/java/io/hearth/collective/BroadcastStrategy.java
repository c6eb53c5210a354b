package io.hearth.collective;

/** Algorithm of a broadcast; all members must choose the same. */
public enum BroadcastStrategy {
    /** The algorithm with the shortest predicted time for the size, the world and the links. */
    AUTO,
    /** Along the ring, pipelined: every port carries the bytes once. For large buffers. */
    RING,
    /** Down a binomial tree: few hops, but the root sends the whole buffer several times. For small buffers. */
    TREE
}
