package io.hearth.collective.exchange.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;

/**
 * When somebody is told how far a transfer is: not in its first second, then twice a second at most; and of its end, if anything was
 * told before. Most transfers end before anybody would want to know.
 */
public final class ProgressMachine
        implements Machine<ProgressMachine.State, ProgressMachine.Event, ProgressMachine.Effect> {
    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long NEXT_NANOS = 500_000_000L;

    /**
     * What is known.
     *
     * @param dueNanos when it is worth telling next
     * @param told somebody waits for the end
     */
    public record State(long startedNanos, long dueNanos, boolean told, boolean over) {
        /** A transfer begins. */
        public static State begin(long nowNanos) {
            return new State(nowNanos, nowNanos + FIRST_NANOS, false, false);
        }
    }

    /** What happens. */
    public sealed interface Event {
        /** So many bytes travelled so far. */
        record Moved(long bytes) implements Event {}

        /** It is over. */
        record Ended(long bytes) implements Event {}
    }

    /** What to do. */
    public sealed interface Effect {
        /** Say how far it is. */
        record Tell(long bytes, long tookNanos, boolean ended) implements Effect {}
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
                                List.of(new Effect.Tell(bytes, took, false)));
            case Event.Ended(long bytes) ->
                new Step<>(
                        new State(state.startedNanos(), state.dueNanos(), state.told(), true),
                        state.told() ? List.of(new Effect.Tell(bytes, took, true)) : List.of());
        };
    }

    /** So long a shell need not even ask. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return state.over() ? Long.MAX_VALUE : Math.max(0, state.dueNanos() - nowNanos);
    }
}
