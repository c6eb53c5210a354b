package io.hearth.simulation.roster;

/** A fault of the simulated shell, planted to see that the rules find it. */
public enum RosterPlant {
    /** None. */
    NOTHING,
    /** What is to be stored is reported as stored, and is not on the disk. */
    LOST_STORE,
    /** Admission does not ask the roster. */
    OPEN_DOOR,
    /** Links are not asked which secret was proved when they were begun. */
    LATE_GUEST,
    /** Links to removed machines stay open. */
    DEAF_CLOSE,
    /** Every signature is right. */
    ANY_SIGNATURE,
    /** A secret that a removed machine may know is never replaced. */
    NO_ROTATION,
    /** The former secret is not kept. */
    NO_FORMER,
    /** The file is replaced by what this process knows, not changed under the lock. */
    OVERWRITE
}
