package io.hearth.election;

/** The role of a node in the choice of the master, for people. */
public enum ElectionState {
    /** It left. */
    IDLE,
    /** It drives a ballot. */
    CAMPAIGNING,
    /** It is rank 0. */
    MASTER,
    /** Another node is rank 0. */
    FOLLOWER,
    /** It waits for a quorum. */
    STALLED
}
