package io.hearth.collective.exchange.watch.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.collective.exchange.watch.machine.ProgressMachine.Effect;
import io.hearth.collective.exchange.watch.machine.ProgressMachine.Event;
import io.hearth.collective.exchange.watch.machine.ProgressMachine.State;
import io.hearth.core.Step;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ProgressMachineTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long START = 7;
    private static final State QUIET = State.begin(START);
    private static final State REPORTED = new State(START, START + 3 * SECOND / 2, true, false);
    private static final State OVER = new State(START, START + 3 * SECOND / 2, true, true);
    private static final State OVER_UNREPORTED = new State(START, START + SECOND, false, true);
    private static final ProgressMachine MACHINE = new ProgressMachine();

    private static Arguments row(State before, Event event, long after, State next, Effect... effects) {
        return Arguments.of(before, event, START + after, next, List.of(effects));
    }

    static Stream<Arguments> table() {
        return Stream.of(
                row(QUIET, new Event.Moved(5), SECOND - 1, QUIET),
                row(QUIET, new Event.Moved(5), SECOND, REPORTED, new Effect.Report(5, SECOND, false)),
                row(REPORTED, new Event.Moved(6), SECOND * 3 / 2 - 1, REPORTED),
                row(
                        REPORTED,
                        new Event.Moved(6),
                        SECOND * 9,
                        new State(START, START + SECOND * 19 / 2, true, false),
                        new Effect.Report(6, SECOND * 9, false)),
                row(REPORTED, new Event.Ended(9), SECOND + 1, OVER, new Effect.Report(9, SECOND + 1, true)),
                row(QUIET, new Event.Ended(9), SECOND + 1, OVER_UNREPORTED),
                row(OVER, new Event.Ended(9), SECOND * 9, OVER),
                row(OVER, new Event.Moved(9), SECOND * 9, OVER));
    }

    @ParameterizedTest
    @MethodSource("table")
    void transitions(State before, Event event, long now, State after, List<Effect> effects) {
        assertEquals(new Step<>(after, effects), MACHINE.step(before, event, now));
    }

    @ParameterizedTest
    @MethodSource("table")
    void whatIsAskedTooEarlyWouldHaveBeenQuiet(State before, Event event, long now, State after, List<Effect> effects) {
        if (event instanceof Event.Moved) {
            assertEquals(effects.isEmpty(), MACHINE.sleepNanos(before, now) > 0);
        }
    }
}
