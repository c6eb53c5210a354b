package io.hearth.simulation.roster;

/** A rule of a world of rosters does not hold. */
public final class Violated extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violated(String why) {
        super(why);
    }

    static void require(boolean holds, String why) {
        if (!holds) {
            throw new Violated(why);
        }
    }
}
