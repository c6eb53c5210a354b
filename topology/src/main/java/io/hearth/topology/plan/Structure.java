package io.hearth.topology.plan;

/** How the ranks of a group reach one another in an all-reduce of many bytes. */
public enum Structure {
    /** Each rank sends to the next one in hop order. */
    RING,

    /** Each pair exchanges bytes; each rank reduces its share of the buffer. */
    DIRECT,

    /** The members of an island send to its leader, the leaders sum directly, and the result goes back. */
    ISLANDS
}
