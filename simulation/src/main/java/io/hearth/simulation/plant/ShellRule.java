package io.hearth.simulation.plant;

/** A rule that the shell of a correct node keeps; some planted bugs break one. */
public enum ShellRule {
    /** Frames of another group epoch are dropped. */
    FENCE,
    /** A sum in place, whose result no member keeps, returns only when all hold it. */
    SUM_WAITS,
    /** A broadcast's root returns only when all hold its value. */
    ROOT_WAITS,
    /** A send to one rank returns only when the receiver has the values. */
    SEND_WAITS,
    /** The group's lead delays the next step while a node waits to enter. */
    STEP_HOLD,
    /** A member that lacks the state of a step fetches it. */
    TAKE_OVER,
    /** A step begins only when all hold its state. */
    STEP_WAITS,
    /** A received chunk is compared with its fingerprint. */
    CHUNK_CHECK,
    /** Chunks of an earlier attempt are dropped if they do not belong to the state that is fetched now. */
    CHUNK_SWEEP,
    /** A former member that lacks the state of a step stays. */
    DIFFERENT_STATE_STAYS,
    /** A plan is used only after the members agreed on it. */
    PLAN_AGREED,
    /** A plan that was made for a former group epoch is not proposed. */
    PLAN_FENCE,
    /** A plan ends with its group epoch. */
    PLAN_ENDS,
    /** An open beginning of a step gets the number that it has in the lineage that is entered. */
    NEW_NUMBER,
    /** An application that got an error for a number does not go on with the next. */
    ERROR_ENDS,
    /** The thread that sends heartbeats does not wait for the disk. */
    SYNC_ELSEWHERE,
    /** Members report to each other at which addresses they reach the rest. */
    GOSSIP,
    /** A node takes the longest span of silence that it or a member that it hears wishes. */
    SILENCE_WISH,
    /** A node leaves a machine out of its views once it was put out of the namespace. */
    EXCLUSION,
    /** Closing does not end the process before it left. */
    ORDERLY_LEAVE,
    /** The collectives are notified that their node was removed. */
    REMOVAL_REPORT,
    /** A frozen member reports its subgroups. */
    SUBGROUP_REPORT,
    /** A member that the group lost is in none of its former subgroups when it comes back. */
    SUBGROUP_SHRINKS,
    /** Error-feedback memory is rolled back. */
    ROLL_BACK
}
