package io.hearth.collective;

/** Algorithm of an all-reduce; all members must choose the same. With each of them, all members end with the same bits. */
public enum AllReduceStrategy {
    /** The algorithm with the shortest predicted time for the size, the world and the links. */
    AUTO,
    /**
     * Around the ring: the fewest bytes through every port, and one latency for each hop. For large buffers. Its bits depend on the hop
     * order.
     */
    RING,
    /** Between all pairs, in one hop or two; adds in the order of positions. For small and medium buffers, and for uneven links. */
    DIRECT,
    /** Up a binomial tree and down again. For small buffers in large worlds. */
    TREE,
    /** Through one member that adds, in the order of positions. For one strong machine among weak ones. */
    CENTRALIZED,
    /**
     * Inside islands, between their leaders, and inside again: each byte crosses a slow link once for an island and not once for each of its
     * members. Islands are those of the group's plan, else the members' machines. If each member is alone, or all are together, the sum is
     * direct. For fast links inside and slow ones between. Its bits depend on the islands.
     */
    HIERARCHICAL
}
