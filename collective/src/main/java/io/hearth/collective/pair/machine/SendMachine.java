package io.hearth.collective.pair.machine;

import io.hearth.collective.group.CallRejection;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;
import java.util.Optional;

/**
 * The sending end of one ordered pair of members. Transfers survive the loss of a stream.
 *
 * <pre>
 *  Called       Heard            Granted             Done, Rejected, or Heard on the next stream
 *  ------&gt; WAITING ----&gt; OFFERED -------&gt; GRANTED ---------------------------------------------&gt; End
 *             ^-------------+----------------+   Lost: offered again on the next stream, sent from the start
 * </pre>
 *
 * <p>Each stream begins with a record of the receiver: the last number of this pair that ended there. So a transfer is not sent
 * again when only its acknowledgement was lost. A sender never reuses a number that it gave up; the receiver accepts the next one.
 */
public final class SendMachine implements Machine<SendMachine.State, SendMachine.Event, SendMachine.Effect> {
    /** Progress of an open number. */
    public enum Stage {
        /** There is no stream, or the receiver has sent nothing on it. */
        WAITING,
        /** The number was offered to the receiver. */
        OFFERED,
        /** The receiver granted it: its bytes may be sent. */
        GRANTED
    }

    /** A transfer that is not over. */
    public record Open(long number, TransferSpec spec, Stage stage) {
        Open at(Stage next) {
            return new Open(number, spec, next);
        }
    }

    /**
     * State of the sending end.
     *
     * @param last last number used; 0 before the first
     * @param connected whether the receiver's first record arrived on the current stream
     */
    public record State(long last, Optional<Open> open, boolean connected) {
        /** Before the first. */
        public static final State START = new State(0, Optional.empty(), false);
    }

    /** Events. */
    public sealed interface Event {
        /** The application sends. */
        record Called(TransferSpec spec) implements Event {}

        /** First record of a stream: the last number that ended at the receiver, and its rejection if there was one. */
        record Heard(long done, Optional<CallRejection> how) implements Event {}

        /** The receiver waits for the bytes of a number. */
        record Granted(long number) implements Event {}

        /** The receiver has them. */
        record Done(long number) implements Event {}

        /** The receiver's call does not match the offer. */
        record Rejected(long number, CallRejection how) implements Event {}

        /** The stream is lost. */
        record Lost() implements Event {}

        /** The application gave up waiting. */
        record GaveUp() implements Event {}
    }

    /** Effects. */
    public sealed interface Effect {
        /** Offer a transfer. */
        record Offer(long number, TransferSpec spec) implements Effect {}

        /** Send the bytes, from the start, on the current stream only. */
        record Transmit(long number) implements Effect {}

        /** The number ended: done, or rejected with the same error at both ends. */
        record End(long number, Optional<CallRejection> how) implements Effect {}

        /** Close the stream; the next one starts from the beginning of the protocol. */
        record Reset(String why) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        return switch (event) {
            case Event.Called(TransferSpec spec) -> call(state, spec);
            case Event.Heard(long done, Optional<CallRejection> how) -> hear(state, done, how);
            case Event.Granted(long number) ->
                isAt(state, number, Stage.OFFERED)
                        ? new Step<>(at(state, Stage.GRANTED), List.of(new Effect.Transmit(number)))
                        : reset(state, "asked for the bytes of number " + number + ", which was not due");
            case Event.Done(long number) ->
                isAt(state, number, Stage.GRANTED)
                        ? end(state, number, Optional.empty())
                        : reset(state, "acknowledged number " + number + ", which was not due");
            case Event.Rejected(long number, CallRejection how) ->
                isAt(state, number, Stage.OFFERED)
                        ? end(state, number, Optional.of(how))
                        : reset(state, "refused number " + number + ", which was not due");
            case Event.Lost() -> Step.quiet(unconnected(state));
            case Event.GaveUp() -> giveUp(state);
        };
    }

    private static Step<State, Effect> call(State state, TransferSpec spec) {
        if (state.open().isPresent()) {
            throw new IllegalStateException("number " + state.last() + " is still open");
        }
        var open = new Open(state.last() + 1, spec, Stage.WAITING);
        return offer(new State(open.number(), Optional.of(open), state.connected()));
    }

    private static Step<State, Effect> hear(State state, long done, Optional<CallRejection> how) {
        if (state.connected() || done > state.last() || done < 0) {
            return reset(state, "sent an unexpected greeting: done " + done + ", last " + state.last());
        }
        var connected = new State(state.last(), state.open(), true);
        boolean hasIt = state.open().filter(open -> open.number() == done).isPresent();
        return hasIt ? end(connected, done, how) : offer(connected);
    }

    private static Step<State, Effect> offer(State state) {
        if (!state.connected() || state.open().isEmpty()) {
            return Step.quiet(state);
        }
        Open open = state.open().get();
        return new Step<>(at(state, Stage.OFFERED), List.of(new Effect.Offer(open.number(), open.spec())));
    }

    private static Step<State, Effect> end(State state, long number, Optional<CallRejection> how) {
        return new Step<>(
                new State(state.last(), Optional.empty(), state.connected()), List.of(new Effect.End(number, how)));
    }

    /** The receiver may be in the middle of the transfer, so only a new stream has a defined start. */
    private static Step<State, Effect> giveUp(State state) {
        boolean isClean = state.open().isEmpty() || !state.connected();
        var without = new State(state.last(), Optional.empty(), state.connected() && isClean);
        return isClean
                ? Step.quiet(without)
                : new Step<>(without, List.of(new Effect.Reset("the sender gave number " + state.last() + " up")));
    }

    private static Step<State, Effect> reset(State state, String why) {
        return new Step<>(unconnected(state), List.of(new Effect.Reset(why)));
    }

    private static State unconnected(State state) {
        return new State(state.last(), state.open().map(open -> open.at(Stage.WAITING)), false);
    }

    private static State at(State state, Stage stage) {
        return new State(state.last(), state.open().map(open -> open.at(stage)), state.connected());
    }

    private static boolean isAt(State state, long number, Stage stage) {
        return state.open()
                .filter(open -> open.number() == number && open.stage() == stage)
                .isPresent();
    }

    /** Nothing here depends on time: calls have the deadlines. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Long.MAX_VALUE;
    }
}
