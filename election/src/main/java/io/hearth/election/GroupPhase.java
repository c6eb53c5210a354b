package io.hearth.election;

/** What a trainer's collectives are doing, as far as it matters to those who want to enter its group. */
public enum GroupPhase {
    /** Nothing was called yet. */
    FRESH,
    /** Something was called, and the trainer is not between two steps. */
    BUSY,
    /** All that was called ended, but for the beginning of a step, which is being waited for. */
    BOUNDARY
}
