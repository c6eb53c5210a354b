package io.hearth.election;

/** What a member is for; agents come before trainers that entered in the same epoch. */
public enum Role {
    /** Always on: coordinates and observes. */
    AGENT,
    /** Takes part in the collectives of one group. */
    TRAINER
}
