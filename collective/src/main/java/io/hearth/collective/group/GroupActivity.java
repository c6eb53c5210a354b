package io.hearth.collective.group;

/** A trainer's progress into the work of its group. */
public enum GroupActivity {
    /** It has not called the start, or has withdrawn the call. */
    IDLE,
    /** It waits for the group's start. */
    STARTING,
    /** The group has started, and this trainer has begun no step: no trainer can enter. */
    WORKING,
    /** It has called the beginning of a step: others can enter at the beginning of the next step. */
    STEPPING
}
