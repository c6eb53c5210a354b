package io.hearth.core;

import java.util.List;

/** Prepares child processes that do not inherit the namespace's secret. */
public final class ChildProcess {
    /** The environment variable by which scripts and containers give this process its secret. */
    private static final String SECRET = "HEARTH_SECRET";

    private ChildProcess() {}

    /** A child ready to start, with this process's environment except {@code HEARTH_SECRET}. */
    public static ProcessBuilder of(String... command) {
        return of(List.of(command));
    }

    /** As {@link #of(String...)}. */
    public static ProcessBuilder of(List<String> command) {
        ProcessBuilder child = withSecret(command);
        child.environment().remove(SECRET);
        return child;
    }

    /** A child that inherits the secret too; for callers whose user asked for that. */
    public static ProcessBuilder withSecret(List<String> command) {
        return new ProcessBuilder(command);
    }
}
