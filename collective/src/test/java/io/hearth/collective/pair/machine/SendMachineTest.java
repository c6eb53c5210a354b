package io.hearth.collective.pair.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.SendMachine.Effect;
import io.hearth.collective.pair.machine.SendMachine.Event;
import io.hearth.collective.pair.machine.SendMachine.Open;
import io.hearth.collective.pair.machine.SendMachine.Stage;
import io.hearth.collective.pair.machine.SendMachine.State;
import io.hearth.core.DataType;
import io.hearth.core.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class SendMachineTest {
    private static final TransferSpec PARCEL = new TransferSpec(DataType.FLOAT32, 10);
    private static final CallRejection REFUSAL = new CallRejection(CallRejection.Cause.MISMATCH, "other");
    private static final SendMachine MACHINE = new SendMachine();

    private static State state(long last, Optional<Stage> open, boolean connected) {
        return new State(last, open.map(stage -> new Open(last, PARCEL, stage)), connected);
    }

    private static final State IDLE = state(3, Optional.empty(), true);
    private static final State ALONE = state(3, Optional.empty(), false);
    private static final State WAITING = state(3, Optional.of(Stage.WAITING), false);
    private static final State OFFERED = state(3, Optional.of(Stage.OFFERED), true);
    private static final State GRANTED = state(3, Optional.of(Stage.GRANTED), true);

    private static Arguments row(State before, Event event, State after, Effect... effects) {
        return Arguments.of(before, event, after, List.of(effects));
    }

    private static Effect ends(Optional<CallRejection> how) {
        return new Effect.End(3, how);
    }

    static Stream<Arguments> table() {
        return Stream.of(
                row(IDLE, new Event.Called(PARCEL), state(4, Optional.of(Stage.OFFERED), true), offer(4)),
                row(ALONE, new Event.Called(PARCEL), state(4, Optional.of(Stage.WAITING), false)),
                row(ALONE, heard(3), IDLE),
                row(ALONE, heard(0), IDLE),
                row(ALONE, heard(4), ALONE, reset("sent an unexpected greeting: done 4, last 3")),
                row(ALONE, heard(-1), ALONE, reset("sent an unexpected greeting: done -1, last 3")),
                row(IDLE, heard(3), ALONE, reset("sent an unexpected greeting: done 3, last 3")),
                row(WAITING, heard(2), OFFERED, offer(3)),
                row(WAITING, heard(0), OFFERED, offer(3)),
                row(WAITING, heard(3), IDLE, ends(Optional.empty())),
                row(WAITING, new Event.Heard(3, Optional.of(REFUSAL)), IDLE, ends(Optional.of(REFUSAL))),
                row(WAITING, new Event.Heard(2, Optional.of(REFUSAL)), OFFERED, offer(3)),
                row(OFFERED, new Event.Granted(3), GRANTED, new Effect.Transmit(3)),
                row(
                        OFFERED,
                        new Event.Granted(2),
                        WAITING,
                        reset("asked for the bytes of number 2, which was not due")),
                row(OFFERED, new Event.Rejected(3, REFUSAL), IDLE, ends(Optional.of(REFUSAL))),
                row(OFFERED, new Event.Done(3), WAITING, reset("acknowledged number 3, which was not due")),
                row(GRANTED, new Event.Done(3), IDLE, ends(Optional.empty())),
                row(GRANTED, new Event.Done(2), WAITING, reset("acknowledged number 2, which was not due")),
                row(
                        GRANTED,
                        new Event.Granted(3),
                        WAITING,
                        reset("asked for the bytes of number 3, which was not due")),
                row(GRANTED, new Event.Rejected(3, REFUSAL), WAITING, reset("refused number 3, which was not due")),
                row(IDLE, new Event.Granted(3), ALONE, reset("asked for the bytes of number 3, which was not due")),
                row(IDLE, new Event.Done(3), ALONE, reset("acknowledged number 3, which was not due")),
                row(OFFERED, new Event.Lost(), WAITING),
                row(GRANTED, new Event.Lost(), WAITING),
                row(IDLE, new Event.Lost(), ALONE),
                row(WAITING, new Event.GaveUp(), ALONE),
                row(OFFERED, new Event.GaveUp(), ALONE, reset("the sender gave number 3 up")),
                row(GRANTED, new Event.GaveUp(), ALONE, reset("the sender gave number 3 up")),
                row(IDLE, new Event.GaveUp(), IDLE));
    }

    private static Effect offer(long number) {
        return new Effect.Offer(number, PARCEL);
    }

    private static Effect reset(String why) {
        return new Effect.Reset(why);
    }

    private static Event heard(long done) {
        return new Event.Heard(done, Optional.empty());
    }

    @ParameterizedTest
    @MethodSource("table")
    void transitions(State before, Event event, State after, List<Effect> effects) {
        assertEquals(new Step<>(after, effects), MACHINE.step(before, event, 0));
        assertEquals(Long.MAX_VALUE, MACHINE.sleepNanos(after, 0));
    }

    @Test
    void oneNumberIsOpenAtATime() {
        assertThrows(IllegalStateException.class, () -> MACHINE.step(OFFERED, new Event.Called(PARCEL), 0));
    }
}
