package io.hearth.collective;

/** Which way a broadcast takes; the same on all members. */
public enum BroadcastStrategy {
    /** Whichever is predicted to be the fastest for the size, the world and the links. */
    AUTO,
    /** Along the ring, pipelined: every port carries the bytes once. For large buffers. */
    RING,
    /** Down a binomial tree: few hops, but the root sends everything several times. For small buffers. */
    TREE
}
