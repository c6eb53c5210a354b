package io.hearth.collective.exchange.watch.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;

/**
 * Decides when to report the progress of a transfer: not in its first second, then at most twice a second; and at its end, if there was a
 * report before. Most transfers end before the first report.
 */
public final class ProgressMachine
        implements Machine<ProgressMachine.State, ProgressMachine.Event, ProgressMachine.Effect> {
    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long NEXT_NANOS = 500_000_000L;

    /**
     * State of one transfer.
     *
     * @param dueNanos time of the next report
     * @param reported whether there was a report, so that the end must be reported too
     */
    public record State(long startedNanos, long dueNanos, boolean reported, boolean over) {
        /** A transfer begins. */
        public static State begin(long nowNanos) {
            return new State(nowNanos, nowNanos + FIRST_NANOS, false, false);
        }
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /** {@code bytes} were transferred so far. */
        record Moved(long bytes) implements Event {}

        /** The transfer has ended. */
        record Ended(long bytes) implements Event {}
    }

    /** Outputs of the machine. */
    public sealed interface Effect {
        /** Report the progress. */
        record Report(long bytes, long tookNanos, boolean ended) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        if (state.over()) {
            return Step.quiet(state);
        }
        long took = nowNanos - state.startedNanos();
        return switch (event) {
            case Event.Moved(long bytes) ->
                sleepNanos(state, nowNanos) > 0
                        ? Step.quiet(state)
                        : new Step<>(
                                new State(state.startedNanos(), nowNanos + NEXT_NANOS, true, false),
                                List.of(new Effect.Report(bytes, took, false)));
            case Event.Ended(long bytes) ->
                new Step<>(
                        new State(state.startedNanos(), state.dueNanos(), state.reported(), true),
                        state.reported() ? List.of(new Effect.Report(bytes, took, true)) : List.of());
        };
    }

    /** Time during which the shell need not call {@link #step}. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return state.over() ? Long.MAX_VALUE : Math.max(0, state.dueNanos() - nowNanos);
    }
}
