package io.hearth.simulation.rule;

import java.util.function.Supplier;

/** A rule of the protocol was broken in a simulated world. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    /** {@code rule} is the short name of the rule, {@code what} the observation. */
    public Violation(String rule, String what) {
        super(rule + ": " + what);
        this.rule = rule;
    }

    public String rule() {
        return rule;
    }

    /** Throws unless {@code holds}. */
    public static void unless(boolean holds, String rule, String what) {
        if (!holds) {
            throw new Violation(rule, what);
        }
    }

    /** Like {@link #unless(boolean, String, String)}, for text that is costly to make. */
    public static void unless(boolean holds, String rule, Supplier<String> what) {
        if (!holds) {
            throw new Violation(rule, what.get());
        }
    }
}
