package io.hearth.simulation;

import java.util.function.Supplier;

/** A rule of the protocol was broken in a simulated world. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    /** {@code rule} is its short name, {@code what} was seen. */
    Violation(String rule, String what) {
        super(rule + ": " + what);
        this.rule = rule;
    }

    String rule() {
        return rule;
    }

    /** Throws unless {@code holds}. */
    static void unless(boolean holds, String rule, String what) {
        if (!holds) {
            throw new Violation(rule, what);
        }
    }

    /** The same, where the text costs something to make. */
    static void unless(boolean holds, String rule, Supplier<String> what) {
        if (!holds) {
            throw new Violation(rule, what.get());
        }
    }
}
