package io.hearth.simulation.roster;

/** A bug planted in the simulated shell, to prove that the rules find it. */
public enum RosterBug {
    /** No bug. */
    NOTHING,
    /** A write is reported as done, but is not on the disk. */
    LOST_STORE,
    /** Admission does not ask the roster. */
    ADMITS_ALL,
    /** A link stays, whichever secret its handshake proved. */
    OLD_SECRET_STAYS,
    /** Links to removed machines stay open. */
    LINKS_STAY,
    /** Every signature is right. */
    ANY_SIGNATURE,
    /** A secret that a removed machine may know is never replaced. */
    NO_ROTATION,
    /** The former secret is not kept. */
    NO_FORMER,
    /** A process replaces the file by its own state, instead of changing it under the lock. */
    OVERWRITE
}
