package io.hearth.collective.pair.machine;

import io.hearth.collective.group.CallRejection;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;
import java.util.Optional;

/**
 * The sending end of one ordered pair of members: what is offered, sent and over, through streams that come and go.
 *
 * <pre>
 *  Called       Heard            Granted             Done, Refused, or Heard on the next stream
 *  ------&gt; WAITING ----&gt; OFFERED -------&gt; GRANTED ---------------------------------------------&gt; End
 *             ^-------------+----------------+   Lost: offered again on the next stream, sent from the start
 * </pre>
 *
 * <p>Each stream begins with the receiver's word which number of this pair it had last, so one that it has is not sent again
 * when only the acknowledgement was lost. A number that the sender gave up is not used again; the receiver takes the next one.
 */
public final class SendMachine implements Machine<SendMachine.State, SendMachine.Event, SendMachine.Effect> {
    /** How far an open number is. */
    public enum Stage {
        /** There is no stream, or nothing was heard on it. */
        WAITING,
        /** The receiver knows of it. */
        OFFERED,
        /** Its bytes may travel. */
        GRANTED
    }

    /** A number on its way. */
    public record Open(long number, TransferSpec spec, Stage stage) {
        Open at(Stage next) {
            return new Open(number, spec, next);
        }
    }

    /**
     * All that is known.
     *
     * @param last number that was used last; 0 before the first
     * @param connected the receiver was heard on the present stream
     */
    public record State(long last, Optional<Open> open, boolean connected) {
        /** Before the first. */
        public static final State START = new State(0, Optional.empty(), false);
    }

    /** What may happen. */
    public sealed interface Event {
        /** The application sends. */
        record Called(TransferSpec spec) implements Event {}

        /** First word of a stream: the number that the receiver had last, and its error if it ended with one. */
        record Heard(long done, Optional<CallRejection> how) implements Event {}

        /** The receiver waits for the bytes of a number. */
        record Granted(long number) implements Event {}

        /** The receiver has them. */
        record Done(long number) implements Event {}

        /** The receiver asked for something else. */
        record Refused(long number, CallRejection how) implements Event {}

        /** The stream is gone. */
        record Lost() implements Event {}

        /** The application does not wait any longer. */
        record GaveUp() implements Event {}
    }

    /** What to do. */
    public sealed interface Effect {
        /** Say what there is. */
        record Offer(long number, TransferSpec spec) implements Effect {}

        /** Send the bytes, from the start, on the present stream and no other. */
        record Transmit(long number) implements Effect {}

        /** The number is over: well, or with the same error on both ends. */
        record End(long number, Optional<CallRejection> how) implements Effect {}

        /** Close the stream; the next one begins anew. */
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
            case Event.Refused(long number, CallRejection how) ->
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
            return reset(state, "says that it had number " + done + " of " + state.last());
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

    /** The receiver may be in the middle of it: only a new stream is clean. */
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

    /** Time changes nothing here: deadlines belong to calls. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Long.MAX_VALUE;
    }
}
