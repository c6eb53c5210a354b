package io.hearth.collective;

/** Which way an all-reduce takes; the same on all members. Whatever the way, all of them end with the same bits. */
public enum AllReduceStrategy {
    /** Whichever is predicted to be the fastest for the size, the world and the links. */
    AUTO,
    /** Round the ring: the least through every port, one latency for each hop. For large buffers; its bits depend on the hop order. */
    RING,
    /** Among all pairs, in one hop or two; adds in the order of positions. For small and middle buffers, and for uneven links. */
    DIRECT,
    /** Up a binomial tree and back. For small buffers in large worlds. */
    TREE,
    /** Through one member that adds, in the order of positions. For one strong machine among weak ones. */
    CENTRALIZED
}
