package io.hearth.simulation.plant;

import io.hearth.collective.pair.machine.ReceiveMachine;
import io.hearth.collective.pair.machine.SendMachine;
import java.util.Optional;

/** Wrong sends from rank to rank: one class for each {@code PlantedBug} of that kind. */
public final class PairBugHooks {
    private PairBugHooks() {}

    public record Twice() implements BugHooks {
        @Override
        public ReceiveMachine.State received(ReceiveMachine.Event event, ReceiveMachine.State state) {
            return event instanceof ReceiveMachine.Event.Lost && state.stage() == ReceiveMachine.Stage.WAITING
                    ? new ReceiveMachine.State(
                            Math.max(0, state.done() - 1),
                            Optional.empty(),
                            state.asked(),
                            state.offer(),
                            state.stage(),
                            state.connected(),
                            state.greeted())
                    : state;
        }
    }

    public record ReusedNumber() implements BugHooks {
        @Override
        public SendMachine.State sent(SendMachine.Event event, SendMachine.State state) {
            return event instanceof SendMachine.Event.GaveUp
                    ? new SendMachine.State(state.last() - 1, state.open(), state.connected())
                    : state;
        }
    }
}
