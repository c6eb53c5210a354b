package io.hearth.election;

/** The role of a member; agents come before trainers that entered in the same epoch. */
public enum Role {
    /** Always on; coordinates and observes. */
    AGENT,
    /** Takes part in the collectives of one group. */
    TRAINER
}
