package io.hearth.election;

/** The phase of a trainer's collectives, as far as it matters to nodes that want to enter its group. */
public enum GroupPhase {
    /** Nothing was called yet. */
    FRESH,
    /** Something was called, and the trainer is not between two steps. */
    BUSY,
    /** The trainer waits at the beginning of a step, and all its other calls have ended. */
    BOUNDARY
}
