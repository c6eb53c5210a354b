package io.hearth.collective.pair.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.ReceiveMachine.Asked;
import io.hearth.collective.pair.machine.ReceiveMachine.Effect;
import io.hearth.collective.pair.machine.ReceiveMachine.Event;
import io.hearth.collective.pair.machine.ReceiveMachine.Offer;
import io.hearth.collective.pair.machine.ReceiveMachine.Stage;
import io.hearth.collective.pair.machine.ReceiveMachine.State;
import io.hearth.core.DataType;
import io.hearth.core.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ReceiveMachineTest {
    private static final TransferSpec PARCEL = new TransferSpec(DataType.FLOAT32, 10);
    private static final TransferSpec OTHER = new TransferSpec(DataType.INT32, 10);
    private static final CallRejection REFUSAL = new CallRejection(
            CallRejection.Cause.MISMATCH,
            "number 3: rank 0 sends 10 int32, rank 1 receives 10 float32; send and receive must name the same type and"
                    + " number of elements");
    private static final CallRejection OLD = new CallRejection(CallRejection.Cause.MISMATCH, "old");
    private static final ReceiveMachine MACHINE = new ReceiveMachine();

    /** A state with number 2 done; {@code stream} 0: none, 1: not greeted, 2: greeted. */
    private static State state(Optional<TransferSpec> asked, Optional<TransferSpec> offered, Stage stage, int stream) {
        return new State(
                2,
                Optional.empty(),
                asked.map(spec -> new Asked(spec, "rank 1")),
                offered.map(spec -> new Offer(3, spec, "rank 0")),
                stage,
                stream > 0,
                stream > 1);
    }

    private static State done(long number, Optional<CallRejection> how, int stream) {
        return new State(number, how, Optional.empty(), Optional.empty(), Stage.WAITING, stream > 0, stream > 1);
    }

    private static final Optional<TransferSpec> SAME = Optional.of(PARCEL);
    private static final Optional<TransferSpec> NONE = Optional.empty();
    private static final State ALONE = state(NONE, NONE, Stage.WAITING, 0);
    private static final State IDLE = state(NONE, NONE, Stage.WAITING, 2);
    private static final State ASKED_ALONE = state(SAME, NONE, Stage.WAITING, 0);
    private static final State ASKED = state(SAME, NONE, Stage.WAITING, 2);
    private static final State OFFERED = state(NONE, SAME, Stage.WAITING, 2);
    private static final State FILLING = state(SAME, SAME, Stage.FILLING, 2);
    private static final State FULL = state(SAME, SAME, Stage.FULL, 2);
    private static final State FULL_ALONE = state(SAME, SAME, Stage.FULL, 0);
    private static final State FULL_ANEW = state(SAME, SAME, Stage.FULL, 1);

    private static Arguments row(State before, Event event, State after, Effect... effects) {
        return Arguments.of(before, event, after, List.of(effects));
    }

    private static Event call() {
        return new Event.Called(PARCEL, "rank 1");
    }

    private static Event offer(long number, TransferSpec spec) {
        return new Event.Offered(number, spec, "rank 0");
    }

    private static Effect greet(long done) {
        return new Effect.Greet(done, Optional.empty());
    }

    private static Effect.End ended() {
        return new Effect.End(Optional.empty());
    }

    private static Effect outOfTurn(long number) {
        return new Effect.Reset("offered number " + number + ", which was not due");
    }

    static Stream<Arguments> table() {
        Effect refused = new Effect.Refuse(3, REFUSAL);
        Effect.End error = new Effect.End(Optional.of(REFUSAL));
        return Stream.of(
                row(ALONE, call(), ASKED_ALONE),
                row(IDLE, call(), ASKED),
                row(OFFERED, call(), FILLING, new Effect.Grant(3)),
                row(
                        state(NONE, Optional.of(OTHER), Stage.WAITING, 2),
                        call(),
                        done(3, Optional.of(REFUSAL), 2),
                        refused,
                        error),
                row(ALONE, new Event.Connected(), IDLE, greet(2)),
                row(ASKED_ALONE, new Event.Connected(), ASKED, greet(2)),
                row(
                        done(2, Optional.of(OLD), 0),
                        new Event.Connected(),
                        done(2, Optional.of(OLD), 2),
                        new Effect.Greet(2, Optional.of(OLD))),
                row(FULL_ALONE, new Event.Connected(), FULL_ANEW),
                row(IDLE, offer(3, PARCEL), OFFERED),
                row(ASKED, offer(3, PARCEL), FILLING, new Effect.Grant(3)),
                row(ASKED, offer(3, OTHER), done(3, Optional.of(REFUSAL), 2), refused, error),
                row(IDLE, offer(2, PARCEL), ALONE, outOfTurn(2)),
                row(OFFERED, offer(4, PARCEL), ALONE, outOfTurn(4)),
                row(FILLING, offer(4, PARCEL), ASKED_ALONE, outOfTurn(4)),
                row(FULL_ANEW, offer(3, PARCEL), FULL_ALONE, outOfTurn(3)),
                row(FILLING, new Event.Filled(), FULL, new Effect.Deliver()),
                row(OFFERED, new Event.Filled(), ALONE, new Effect.Reset("sent bytes that were not requested")),
                row(FULL, new Event.Delivered(), done(3, Optional.empty(), 2), new Effect.Acknowledge(3), ended()),
                row(FULL_ALONE, new Event.Delivered(), done(3, Optional.empty(), 0), ended()),
                row(FULL_ANEW, new Event.Delivered(), done(3, Optional.empty(), 2), greet(3), ended()),
                row(OFFERED, new Event.Lost(), ALONE),
                row(ASKED, new Event.Lost(), ASKED_ALONE),
                row(FILLING, new Event.Lost(), ASKED_ALONE),
                row(FULL, new Event.Lost(), FULL_ALONE),
                row(ASKED, new Event.GaveUp(), IDLE),
                row(FILLING, new Event.GaveUp(), ALONE, new Effect.Reset("the receiver gave up")),
                row(FULL, new Event.GaveUp(), FULL));
    }

    @ParameterizedTest
    @MethodSource("table")
    void transitions(State before, Event event, State after, List<Effect> effects) {
        assertEquals(new Step<>(after, effects), MACHINE.step(before, event, 0));
        assertEquals(Long.MAX_VALUE, MACHINE.sleepNanos(after, 0));
    }

    /** The sender may have given up some numbers. */
    @Test
    void aLaterNumberIsAsGoodAsTheNext() {
        Step<State, Effect> step = MACHINE.step(ASKED, offer(9, PARCEL), 0);
        assertEquals(List.of(new Effect.Grant(9)), step.effects());
        State full = MACHINE.step(step.state(), new Event.Filled(), 0).state();
        assertEquals(9, MACHINE.step(full, new Event.Delivered(), 0).state().done());
    }

    @Test
    void whatCannotBeIsABugOfTheShell() {
        assertThrows(IllegalStateException.class, () -> MACHINE.step(FILLING, call(), 0));
        assertThrows(IllegalStateException.class, () -> MACHINE.step(FILLING, new Event.Delivered(), 0));
    }
}
