package io.hearth.planted;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;

/** A machine in a package that is not pure, for {@code ArchitectureTest} to find. */
record Misplaced() implements Machine<String, String, String> {
    @Override
    public Step<String, String> step(String state, String event, long nowNanos) {
        return new Step<>(event, List.of());
    }

    @Override
    public long sleepNanos(String state, long nowNanos) {
        return Long.MAX_VALUE;
    }
}
