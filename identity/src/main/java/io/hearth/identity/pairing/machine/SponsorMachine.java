package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The life cycle of one pairing code on the machine that shows it.
 *
 * <pre>
 * Waiting       round 1 of a joiner: <b>a run is spent</b>; own round 1 -----&gt;  AwaitRound2
 * AwaitRound2   its round 2; own round 2 ---------------------------------&gt;  AwaitConfirm
 * AwaitConfirm  its confirmation is right; the owner is asked ------------&gt;  AwaitWelcome
 * AwaitWelcome  the owner's welcome; own confirmation, sealed pages ------&gt;  AwaitDone
 * AwaitDone     it has the welcome on disk, or is gone -------------------&gt;  Over (paired)
 * any other message, a wrong confirmation, 5 s, a hang-up ----------------&gt;  Waiting, or Over after the third run;
 *                                                                            Over (paired) in AwaitDone
 * Waiting       the code is too old --------------------------------------&gt;  Over
 * </pre>
 *
 * <p>J-PAKE (RFC 8236) gives each run one guess. The sponsor's round 2 reveals whether a guess is right. So a run is counted before its
 * first message leaves, and a joiner that hangs up at any moment gets no free guess. During a run, all other joiners are rejected,
 * uncounted. After its lifetime, its third failed run or its success, the code is invalid.
 *
 * <p>The one part of the state that is not a value is the {@link Pake} of the current run.
 */
public final class SponsorMachine
        implements Machine<SponsorMachine.State, SponsorMachine.Event, SponsorMachine.Effect> {
    private final PeerId self;
    private final String label;
    private final PairingCode code;
    private final Pake.Factory pakes;
    private final PairingLimits limits;

    /**
     * @param self this machine
     * @param label its name for people
     */
    public SponsorMachine(PeerId self, String label, PairingCode code, Pake.Factory pakes, PairingLimits limits) {
        this.self = self;
        this.label = Labels.clean(label);
        this.code = code;
        this.pakes = pakes;
        this.limits = limits;
    }

    public sealed interface Event {
        /** A connection came up; {@code exporter} belongs to it, {@code address} is for people. */
        record Met(NodeId joiner, Bytes exporter, String address) implements Event {}

        /** A message came over the connection. */
        record Arrived(NodeId joiner, Bytes frame) implements Event {}

        /** The connection ended. */
        record Gone(NodeId joiner) implements Event {}

        /** The owner's answer to {@link Effect.Ask}: the welcome. */
        record Ready(Bytes welcome) implements Event {}

        /** The owner cannot answer. */
        record Unable(String why) implements Event {}

        record Tick() implements Event {}
    }

    public sealed interface Effect {
        record Send(NodeId to, Bytes frame) implements Effect {}

        /** Ends a connection, after the messages that were sent on it. */
        record Close(NodeId to, String why) implements Effect {}

        /** The owner answers with {@link Event.Ready} or {@link Event.Unable}. */
        record Ask(NodeId joiner, String label) implements Effect {}

        /** A run ended without success. */
        record Failed(NodeId joiner, String address, PairingFailure failure, String why, int runsLeft)
                implements Effect {}

        /** The code is invalid; the last effect. */
        record Ended(Outcome outcome) implements Effect {}
    }

    /** The result of a code. */
    public sealed interface Outcome {
        /**
         * A machine proved the code and was sent the welcome.
         *
         * @param confirmed whether it confirmed that the welcome is on its disk
         */
        record Paired(NodeId joiner, String label, String address, boolean confirmed) implements Outcome {}

        /** All runs failed. */
        record Exhausted(String lastAddress) implements Outcome {}

        record Expired() implements Outcome {}

        /** The owner had no welcome. */
        record Broken(String why) implements Outcome {}
    }

    /** A connection. */
    record Guest(Bytes exporter, String address, long sinceNanos) {}

    sealed interface Stage {
        /** Counted, and no message sent yet. */
        record Begun() implements Stage {}

        record AwaitRound2(Pake pake, Channel channel, Bytes joinerRound1, Bytes sponsorRound1) implements Stage {}

        record AwaitConfirm(PairingKeys keys) implements Stage {}

        record AwaitWelcome(PairingKeys keys, String label) implements Stage {}

        record AwaitDone(String label) implements Stage {}
    }

    sealed interface Phase {
        record Waiting() implements Phase {}

        record Running(NodeId joiner, String address, long sinceNanos, Stage stage) implements Phase {
            Running at(Stage next) {
                return new Running(joiner, address, sinceNanos, next);
            }
        }

        record Over() implements Phase {}
    }

    /**
     * The state of the code.
     *
     * @param bornNanos time at which the code was made
     * @param runs number of runs begun
     * @param guests connections, the one of the run included
     */
    public record State(long bornNanos, int runs, SortedMap<NodeId, Guest> guests, Phase phase) {
        public State {
            guests = Collections.unmodifiableSortedMap(new TreeMap<>(guests));
        }

        /** The state of a new code. */
        public static State fresh(long nowNanos) {
            return new State(nowNanos, 0, new TreeMap<>(), new Phase.Waiting());
        }

        State at(Phase next) {
            return new State(bornNanos, runs, guests, next);
        }

        State run(Phase next) {
            return new State(bornNanos, runs + 1, guests, next);
        }

        State with(NodeId joiner, Guest guest) {
            var more = new TreeMap<>(guests);
            more.put(joiner, guest);
            return new State(bornNanos, runs, more, phase);
        }

        State without(NodeId joiner) {
            var fewer = new TreeMap<>(guests);
            fewer.remove(joiner);
            return new State(bornNanos, runs, fewer, phase);
        }
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        if (state.phase() instanceof Phase.Over) {
            return event instanceof Event.Met(var joiner, var _, var _)
                    ? turnAway(state, joiner, PairingFailure.DEAD)
                    : Step.quiet(state);
        }
        return switch (event) {
            case Event.Met met -> onMet(state, met, nowNanos);
            case Event.Arrived(var joiner, var frame) -> onFrame(state, joiner, frame, nowNanos);
            case Event.Gone(var joiner) -> onGone(state, joiner);
            case Event.Ready(var welcome) -> onReady(state, welcome);
            case Event.Unable(var why) -> onUnable(state, why);
            case Event.Tick() -> onTick(state, nowNanos);
        };
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        if (state.phase() instanceof Phase.Over) {
            return Long.MAX_VALUE;
        }
        if (state.phase() instanceof Phase.Running running) {
            return Math.max(0, limits.runNanos() - (nowNanos - running.sinceNanos()));
        }
        long sleep = limits.codeLifeNanos() - (nowNanos - state.bornNanos());
        for (Guest guest : state.guests().values()) {
            sleep = Math.min(sleep, limits.runNanos() - (nowNanos - guest.sinceNanos()));
        }
        return Math.max(0, sleep);
    }

    private Step<State, Effect> onMet(State state, Event.Met met, long nowNanos) {
        if (met.joiner().peer().equals(self)) {
            return turnAway(state, met.joiner(), PairingFailure.ITSELF);
        }
        if (state.guests().size() >= limits.guestsMax()) {
            return turnAway(state, met.joiner(), PairingFailure.BUSY);
        }
        return Step.quiet(state.with(met.joiner(), new Guest(met.exporter(), met.address(), nowNanos)));
    }

    private Step<State, Effect> onFrame(State state, NodeId joiner, Bytes frame, long nowNanos) {
        Guest guest = state.guests().get(joiner);
        if (guest == null) {
            return Step.quiet(state); // it was rejected before this message arrived
        }
        if (state.phase() instanceof Phase.Running running && !running.joiner().equals(joiner)) {
            return turnAway(state.without(joiner), joiner, PairingFailure.BUSY);
        }
        PairingMessage message;
        try {
            message = PairingEncoding.decode(frame);
        } catch (MalformedMessageException malformed) {
            return fail(
                    begun(state, joiner, guest, nowNanos),
                    PairingFailure.MALFORMED,
                    String.valueOf(malformed.getMessage()));
        }
        if (state.phase() instanceof Phase.Running running) {
            return onMessage(state, running, message, frame);
        }
        return message instanceof PairingMessage.Round1 round1
                ? onRound1(state, joiner, guest, round1, frame, nowNanos)
                : fail(
                        begun(state, joiner, guest, nowNanos),
                        PairingFailure.MALFORMED,
                        name(message) + " came before round 1");
    }

    /** The state in which this guest's run is counted and continues. */
    private static State begun(State state, NodeId joiner, Guest guest, long nowNanos) {
        return state.phase() instanceof Phase.Running
                ? state
                : state.run(new Phase.Running(joiner, guest.address(), nowNanos, new Stage.Begun()));
    }

    private Step<State, Effect> onRound1(
            State state, NodeId joiner, Guest guest, PairingMessage.Round1 theirs, Bytes frame, long nowNanos) {
        var channel = new Channel(guest.exporter(), joiner.peer(), self);
        Pake pake = pakes.begin(channel.sponsorName(), channel.joinerName(), code.secret());
        State running = begun(state, joiner, guest, nowNanos); // counted, whatever its result
        Bytes own = PairingEncoding.encode(pake.round1());
        try {
            pake.accept(theirs);
        } catch (PakeException refused) {
            return fail(running, PairingFailure.PROOF, String.valueOf(refused.getMessage()));
        }
        var stage = new Stage.AwaitRound2(pake, channel, frame, own);
        return new Step<>(
                running.at(new Phase.Running(joiner, guest.address(), nowNanos, stage)),
                List.of(new Effect.Send(joiner, own)));
    }

    private Step<State, Effect> onMessage(State state, Phase.Running running, PairingMessage message, Bytes frame) {
        return switch (running.stage()) {
            case Stage.AwaitRound2 stage
            when message instanceof PairingMessage.Round2 theirs -> onRound2(state, running, stage, theirs, frame);
            case Stage.AwaitConfirm(var keys)
            when message instanceof PairingMessage.Confirm(var mac, var sealed) ->
                onConfirm(state, running, keys, mac, sealed);
            case Stage.AwaitDone(var joinerLabel)
            when message instanceof PairingMessage.Done -> paired(state, running, joinerLabel, true);
            case Stage _
            when message instanceof PairingMessage.Sorry(var failure, var _) -> fail(state, failure, failure.text());
            case Stage stage ->
                fail(
                        state,
                        PairingFailure.MALFORMED,
                        name(message) + " does not belong in "
                                + stage.getClass().getSimpleName());
        };
    }

    private Step<State, Effect> onRound2(
            State state, Phase.Running running, Stage.AwaitRound2 stage, PairingMessage.Round2 theirs, Bytes frame) {
        Bytes own = PairingEncoding.encode(stage.pake().round2());
        byte[] key;
        try {
            key = stage.pake().accept(theirs);
        } catch (PakeException refused) {
            return fail(state, PairingFailure.PROOF, String.valueOf(refused.getMessage()));
        }
        var keys = PairingKeys.of(
                key, new Transcript(stage.channel(), stage.joinerRound1(), stage.sponsorRound1(), frame, own));
        return new Step<>(
                state.at(running.at(new Stage.AwaitConfirm(keys))), List.of(new Effect.Send(running.joiner(), own)));
    }

    private Step<State, Effect> onConfirm(
            State state, Phase.Running running, PairingKeys keys, Bytes mac, Bytes sealed) {
        if (!PairingKeys.matches(keys.joinerMac(), mac)) {
            return fail(state, PairingFailure.WRONG_CODE, PairingFailure.WRONG_CODE.text());
        }
        var opened = keys.openLabel(sealed);
        if (opened.isEmpty()) {
            return fail(state, PairingFailure.MALFORMED, "its label cannot be opened");
        }
        String joinerLabel = Labels.clean(new String(opened.get(), StandardCharsets.UTF_8));
        return new Step<>(
                state.at(running.at(new Stage.AwaitWelcome(keys, joinerLabel))),
                List.of(new Effect.Ask(running.joiner(), joinerLabel)));
    }

    private Step<State, Effect> onReady(State state, Bytes welcome) {
        if (!(state.phase() instanceof Phase.Running running)
                || !(running.stage() instanceof Stage.AwaitWelcome(var keys, var joinerLabel))) {
            return Step.quiet(state); // the run ended before the owner answered
        }
        if (welcome.size() > limits.welcomeBytesMax()) {
            return onUnable(
                    state,
                    "the welcome has " + welcome.size() + " bytes, more than the " + limits.welcomeBytesMax()
                            + " that fit");
        }
        byte[] plain = new Greeting(label, welcome).encode();
        byte[] sealed = keys.sealWelcome(plain).toArray();
        Arrays.fill(plain, (byte) 0);
        var effects = new ArrayList<Effect>();
        effects.add(send(running, new PairingMessage.Welcome(keys.sponsorMac(), sealed.length)));
        for (int at = 0; at < sealed.length; at += limits.pageBytesMax()) {
            byte[] part = Arrays.copyOfRange(sealed, at, Math.min(sealed.length, at + limits.pageBytesMax()));
            effects.add(send(running, new PairingMessage.Page(Bytes.of(part))));
        }
        keys.destroy();
        return new Step<>(state.at(running.at(new Stage.AwaitDone(joinerLabel))), effects);
    }

    private Step<State, Effect> onUnable(State state, String why) {
        if (!(state.phase() instanceof Phase.Running running)) {
            return Step.quiet(state);
        }
        return new Step<>(
                state.at(new Phase.Over()),
                List.of(
                        send(running, new PairingMessage.Sorry(PairingFailure.UNABLE, 0)),
                        new Effect.Close(running.joiner(), "the sponsor has no welcome"),
                        new Effect.Ended(new Outcome.Broken(why))));
    }

    private Step<State, Effect> onGone(State state, NodeId joiner) {
        State left = state.without(joiner);
        return state.phase() instanceof Phase.Running running
                        && running.joiner().equals(joiner)
                ? fail(left, PairingFailure.HUNG_UP, PairingFailure.HUNG_UP.text())
                : Step.quiet(left);
    }

    private Step<State, Effect> onTick(State state, long nowNanos) {
        if (state.phase() instanceof Phase.Running running) {
            if (nowNanos - running.sinceNanos() < limits.runNanos()) {
                return Step.quiet(state);
            }
            return fail(state, PairingFailure.TOO_LATE, "it took longer than " + limits.runNanos() / 1_000_000 + " ms");
        }
        if (nowNanos - state.bornNanos() >= limits.codeLifeNanos()) {
            var effects = new ArrayList<Effect>();
            state.guests().keySet().forEach(guest -> effects.addAll(sorry(guest, PairingFailure.DEAD, 0)));
            effects.add(new Effect.Ended(new Outcome.Expired()));
            return new Step<>(state.at(new Phase.Over()), effects);
        }
        State kept = state;
        var effects = new ArrayList<Effect>();
        for (var guest : state.guests().entrySet()) {
            if (nowNanos - guest.getValue().sinceNanos() >= limits.runNanos()) {
                kept = kept.without(guest.getKey());
                effects.addAll(sorry(guest.getKey(), PairingFailure.TOO_LATE, left(state)));
            }
        }
        return new Step<>(kept, effects);
    }

    private static Step<State, Effect> paired(
            State state, Phase.Running running, String joinerLabel, boolean confirmed) {
        return new Step<>(
                state.at(new Phase.Over()),
                List.of(
                        new Effect.Close(running.joiner(), "paired"),
                        new Effect.Ended(
                                new Outcome.Paired(running.joiner(), joinerLabel, running.address(), confirmed))));
    }

    /**
     * Ends the current run, and the code if this was the last run. If the joiner proved the code and was sent the secret already, it counts
     * as paired.
     */
    private Step<State, Effect> fail(State state, PairingFailure failure, String why) {
        if (!(state.phase() instanceof Phase.Running running)) {
            throw new IllegalStateException("no run to fail: " + why);
        }
        if (running.stage() instanceof Stage.AwaitDone(var joinerLabel)) {
            return paired(state, running, joinerLabel, false);
        }
        if (running.stage() instanceof Stage.AwaitConfirm(var keys)) {
            keys.destroy();
        }
        var effects = new ArrayList<Effect>();
        effects.add(new Effect.Failed(running.joiner(), running.address(), failure, why, left(state)));
        effects.addAll(sorry(running.joiner(), failure, left(state)));
        State next = state.without(running.joiner());
        if (left(state) > 0) {
            return new Step<>(next.at(new Phase.Waiting()), effects);
        }
        effects.add(new Effect.Ended(new Outcome.Exhausted(running.address())));
        return new Step<>(next.at(new Phase.Over()), effects);
    }

    private static Step<State, Effect> turnAway(State state, NodeId joiner, PairingFailure failure) {
        return new Step<>(state, sorry(joiner, failure, 0));
    }

    private static List<Effect> sorry(NodeId joiner, PairingFailure failure, int left) {
        return List.of(
                new Effect.Send(joiner, PairingEncoding.encode(new PairingMessage.Sorry(failure, left))),
                new Effect.Close(joiner, failure.text()));
    }

    private int left(State state) {
        return Math.max(0, limits.runsMax() - state.runs());
    }

    private static Effect send(Phase.Running running, PairingMessage message) {
        return new Effect.Send(running.joiner(), PairingEncoding.encode(message));
    }

    private static String name(PairingMessage message) {
        return message.getClass().getSimpleName();
    }
}
