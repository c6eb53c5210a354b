package io.hearth.collective.pair.machine;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import java.util.List;
import java.util.Optional;

/**
 * The receiving end of one ordered pair of members; {@link SendMachine} is the other end.
 *
 * <pre>
 *            Called and Offered        Filled         Delivered
 *  WAITING ---------------------&gt; FILLING ----&gt; FULL -----------&gt; WAITING, one number further
 *     ^   \--- mismatch: rejected, one number further
 *     +--------------------------- Lost
 * </pre>
 *
 * <p>A number is delivered once. When it is {@code done} here, every new stream begins with a record of that, and another offer of
 * it is out of order. Bytes that arrived completely are kept if the stream is lost before the application has them.
 */
public final class ReceiveMachine
        implements Machine<ReceiveMachine.State, ReceiveMachine.Event, ReceiveMachine.Effect> {
    /** State of the bytes of the offered number. */
    public enum Stage {
        /** No bytes arrive. */
        WAITING,
        /** Bytes arrive. */
        FILLING,
        /** All bytes have arrived and are being copied to the application. */
        FULL
    }

    /** The application's call; {@code who} names this rank. */
    public record Asked(TransferSpec spec, String who) {}

    /** The sender's offer; {@code who} names the sender. */
    public record Offer(long number, TransferSpec spec, String who) {}

    /**
     * State of the receiving end.
     *
     * @param done last number that ended here; 0 before the first
     * @param how its rejection, if it was rejected
     * @param connected whether there is a stream
     * @param greeted whether {@code done} was sent on that stream
     */
    public record State(
            long done,
            Optional<CallRejection> how,
            Optional<Asked> asked,
            Optional<Offer> offer,
            Stage stage,
            boolean connected,
            boolean greeted) {
        /** Before the first. */
        public static final State START =
                new State(0, Optional.empty(), Optional.empty(), Optional.empty(), Stage.WAITING, false, false);

        State asking(Optional<Asked> now) {
            return new State(done, how, now, offer, stage, connected, greeted);
        }

        State offered(Optional<Offer> now) {
            return new State(done, how, asked, now, stage, connected, greeted);
        }

        State at(Stage now) {
            return new State(done, how, asked, offer, now, connected, greeted);
        }

        State ended(long number, Optional<CallRejection> with) {
            return new State(
                    number, with, Optional.empty(), Optional.empty(), Stage.WAITING, connected, greeted || connected);
        }

        State on(boolean stream, boolean hasGreeted) {
            return new State(done, how, asked, offer, stage, stream, hasGreeted);
        }
    }

    /** Events. */
    public sealed interface Event {
        /** The application receives. */
        record Called(TransferSpec spec, String who) implements Event {}

        /** There is a stream. */
        record Connected() implements Event {}

        /** The sender offers a transfer. */
        record Offered(long number, TransferSpec spec, String who) implements Event {}

        /** All granted bytes have arrived. */
        record Filled() implements Event {}

        /** The application has the bytes. */
        record Delivered() implements Event {}

        /** The stream is lost. */
        record Lost() implements Event {}

        /** The application gave up waiting. */
        record GaveUp() implements Event {}
    }

    /** Effects. */
    public sealed interface Effect {
        /** Send the first record of a stream: the last number that ended here, and how. */
        record Greet(long done, Optional<CallRejection> how) implements Effect {}

        /** Let the sender send the bytes of a number; they are for the application's open call. */
        record Grant(long number) implements Effect {}

        /** Copy the bytes to the application's buffer, then report {@link Event.Delivered}. */
        record Deliver() implements Effect {}

        /** Acknowledge that the number has arrived. */
        record Acknowledge(long number) implements Effect {}

        /** Reject the offer, because the application's call does not match it. */
        record Refuse(long number, CallRejection how) implements Effect {}

        /** The application's call is over. */
        record End(Optional<CallRejection> how) implements Effect {}

        /** Close the stream; the next one starts from the beginning of the protocol. */
        record Reset(String why) implements Effect {}
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        return switch (event) {
            case Event.Called(TransferSpec spec, String who) -> call(state, new Asked(spec, who));
            case Event.Connected() -> connect(state);
            case Event.Offered(long number, TransferSpec spec, String who) ->
                offer(state, new Offer(number, spec, who));
            case Event.Filled() ->
                state.stage() == Stage.FILLING
                        ? new Step<>(state.at(Stage.FULL), List.of(new Effect.Deliver()))
                        : reset(state, "sent bytes that were not requested");
            case Event.Delivered() -> deliver(state);
            case Event.Lost() -> Step.quiet(unconnected(state));
            case Event.GaveUp() -> giveUp(state);
        };
    }

    private static Step<State, Effect> call(State state, Asked asked) {
        if (state.asked().isPresent()) {
            throw new IllegalStateException("the number after " + state.done() + " is being received");
        }
        return match(state.asking(Optional.of(asked)));
    }

    private static Step<State, Effect> connect(State state) {
        return state.stage() == Stage.FULL // the number in delivery will be done in a moment, and is reported then
                ? Step.quiet(state.on(true, false))
                : new Step<>(state.on(true, true), List.of(new Effect.Greet(state.done(), state.how())));
    }

    private static Step<State, Effect> offer(State state, Offer offer) {
        boolean isNext = offer.number() > state.done() && offer.number() < Status.NUMBER_MAX;
        if (!state.greeted() || state.offer().isPresent() || !isNext) {
            return reset(state, "offered number " + offer.number() + ", which was not due");
        }
        return match(state.offered(Optional.of(offer)));
    }

    private static Step<State, Effect> match(State state) {
        if (state.asked().isEmpty() || state.offer().isEmpty()) {
            return Step.quiet(state);
        }
        Asked asked = state.asked().get();
        Offer offer = state.offer().get();
        if (asked.spec().equals(offer.spec())) {
            return new Step<>(state.at(Stage.FILLING), List.of(new Effect.Grant(offer.number())));
        }
        var refusal = new CallRejection(
                CallRejection.Cause.MISMATCH,
                "number " + offer.number() + ": " + offer.who() + " sends "
                        + offer.spec().text() + ", "
                        + asked.who() + " receives " + asked.spec().text()
                        + "; send and receive must name the same type and number of elements");
        return new Step<>(
                state.ended(offer.number(), Optional.of(refusal)),
                List.of(new Effect.Refuse(offer.number(), refusal), new Effect.End(Optional.of(refusal))));
    }

    private static Step<State, Effect> deliver(State state) {
        if (state.stage() != Stage.FULL || state.offer().isEmpty()) {
            throw new IllegalStateException("no delivery is in progress after number " + state.done());
        }
        long number = state.offer().get().number();
        State ended = state.ended(number, Optional.empty());
        var end = new Effect.End(Optional.empty());
        if (!state.connected()) {
            return new Step<>(ended, List.of(end));
        }
        Effect said = state.greeted() ? new Effect.Acknowledge(number) : new Effect.Greet(number, Optional.empty());
        return new Step<>(ended, List.of(said, end));
    }

    /**
     * Bytes on their way have no buffer any more, so only a new stream has a defined start. Bytes that have all arrived are
     * delivered.
     */
    private static Step<State, Effect> giveUp(State state) {
        return switch (state.stage()) {
            case WAITING -> Step.quiet(state.asking(Optional.empty()));
            case FILLING -> reset(state.asking(Optional.empty()), "the receiver gave up");
            case FULL -> Step.quiet(state);
        };
    }

    private static Step<State, Effect> reset(State state, String why) {
        return new Step<>(unconnected(state), List.of(new Effect.Reset(why)));
    }

    private static State unconnected(State state) {
        State without = state.on(false, false);
        return state.stage() == Stage.FULL
                ? without
                : without.offered(Optional.empty()).at(Stage.WAITING);
    }

    /** Nothing here depends on time: calls have the deadlines. */
    @Override
    public long sleepNanos(State state, long nowNanos) {
        return Long.MAX_VALUE;
    }
}
