package io.hearth.collective.group;

/** How far a trainer is on its way into its group's work. */
public enum GroupActivity {
    /** It has not asked to start, or gave up. */
    IDLE,
    /** It waits for the group's start. */
    STARTING,
    /** The group has started, and no step began here: nobody can enter. */
    WORKING,
    /** It has called for the beginning of a step: others can enter where the next one begins. */
    STEPPING
}
