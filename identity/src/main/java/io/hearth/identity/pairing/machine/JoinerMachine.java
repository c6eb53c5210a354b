package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The pairing of a machine that joins a namespace with a code.
 *
 * <pre>
 * Seeking       a place to try: dial it ----------------------------------&gt;  Dialing
 * Dialing       connected; own round 1 -----------------------------------&gt;  AwaitRound1
 * AwaitRound1   the sponsor's; own round 2 -------------------------------&gt;  AwaitRound2
 * AwaitRound2   the sponsor's; own confirmation --------------------------&gt;  AwaitWelcome
 * AwaitWelcome  its confirmation is right --------------------------------&gt;  AwaitPages
 * AwaitPages    all pages, and they open; the owner is given the welcome -&gt;  Storing
 * Storing       it is on disk; done --------------------------------------&gt;  Over (paired)
 * any other message, a wrong confirmation, 5 s, a hang-up ----------------&gt;  Seeking, or Over after the third run
 * </pre>
 *
 * <p>A machine that listens to mDNS knows the nameplate and may claim to be the sponsor. Each run gives such an impostor one guess. So
 * there are at most three runs in all, each with another identity, unless a sponsor was only busy. After a failed run, this machine listens
 * for other sponsors of the nameplate for a short time, so an impostor that answers first does not hide the right one.
 *
 * <p>The one part of the state that is not a value is the {@link Pake} of the current run.
 */
public final class JoinerMachine implements Machine<JoinerMachine.State, JoinerMachine.Event, JoinerMachine.Effect> {
    private static final int ADDRESSES_MAX = 8;

    private final PeerId self;
    private final String label;
    private final PairingCode code;
    private final Pake.Factory pakes;
    private final PairingLimits limits;

    /**
     * @param self this machine
     * @param label its name for people
     */
    public JoinerMachine(PeerId self, String label, PairingCode code, Pake.Factory pakes, PairingLimits limits) {
        this.self = self;
        this.label = Labels.clean(label);
        this.code = code;
        this.pakes = pakes;
        this.limits = limits;
    }

    public sealed interface Event {
        /** A sponsor may be at these addresses, which the shell understands. */
        record Sighted(String place, List<String> addresses) implements Event {
            public Sighted {
                addresses = List.copyOf(addresses);
            }
        }

        /** The connection to {@code address} is up; {@code exporter} belongs to it. */
        record Met(NodeId sponsor, Bytes exporter, String address) implements Event {}

        /** The connection did not come up. */
        record NotMet(String address, String why) implements Event {}

        record Arrived(NodeId sponsor, Bytes frame) implements Event {}

        /** The connection ended. */
        record Gone(NodeId sponsor) implements Event {}

        /** The welcome is on disk. */
        record Stored() implements Event {}

        /** The welcome could not be stored. */
        record NotStored(String why) implements Event {}

        record Tick() implements Event {}
    }

    public sealed interface Effect {
        /** The shell answers with {@link Event.Met} or {@link Event.NotMet}. */
        record Dial(String address) implements Effect {}

        record Send(NodeId to, Bytes frame) implements Effect {}

        /** Ends a connection, after the messages that were sent on it. */
        record Close(NodeId to, String why) implements Effect {}

        /** The owner answers with {@link Event.Stored} or {@link Event.NotStored}. */
        record Accept(NodeId sponsor, String label, Bytes welcome) implements Effect {}

        /** A run ended without success. */
        record Failed(NodeId sponsor, String address, PairingFailure failure, String why) implements Effect {}

        /** The last effect. */
        record Ended(Outcome outcome) implements Effect {}
    }

    /** The result of the pairing. */
    public sealed interface Outcome {
        record Paired(NodeId sponsor, String label, String address) implements Outcome {}

        /**
         * No run began.
         *
         * @param lastTrouble the reason why the last connection failed; empty if no sponsor was seen at all
         */
        record NotFound(String lastTrouble) implements Outcome {}

        /**
         * No run succeeded.
         *
         * @param failure of the last run
         * @param runsLeft of the code, as its sponsor reported
         */
        record Failed(int runs, PairingFailure failure, String why, String address, int runsLeft) implements Outcome {}

        /** This machine could not store the welcome. */
        record NotStored(String why) implements Outcome {}
    }

    /**
     * A place where a sponsor may be.
     *
     * @param next index of the address to try next
     * @param notBeforeNanos time before which it is not tried
     * @param isOver whether it is not tried any more
     */
    record PairingPeer(List<String> addresses, int next, long notBeforeNanos, boolean isOver) {
        PairingPeer {
            addresses = List.copyOf(addresses);
        }

        PairingPeer heard(List<String> more) {
            var all = new ArrayList<>(addresses);
            for (String address : more) {
                if (all.size() < ADDRESSES_MAX && !all.contains(address)) {
                    all.add(address);
                }
            }
            return new PairingPeer(all, next, notBeforeNanos, isOver);
        }

        PairingPeer later(long nanos) {
            return new PairingPeer(addresses, (next + 1) % addresses.size(), nanos, isOver);
        }

        PairingPeer over() {
            return new PairingPeer(addresses, next, notBeforeNanos, true);
        }
    }

    sealed interface Stage {
        record AwaitRound1(Pake pake, Bytes own) implements Stage {}

        record AwaitRound2(Pake pake, Bytes own1, Bytes theirs1, Bytes own2) implements Stage {}

        record AwaitWelcome(PairingKeys keys) implements Stage {}

        /**
         * The sponsor knows the code; its welcome is on the way.
         *
         * @param pages that arrived so far, in order
         */
        record AwaitPages(PairingKeys keys, int sealedBytes, List<Bytes> pages, int bytes) implements Stage {
            public AwaitPages {
                pages = List.copyOf(pages);
            }
        }

        record Storing(String label) implements Stage {}
    }

    sealed interface Phase {
        record Seeking() implements Phase {}

        record Dialing(String place, String address) implements Phase {}

        record Running(String place, String address, NodeId sponsor, Channel channel, long sinceNanos, Stage stage)
                implements Phase {
            Running at(Stage next) {
                return new Running(place, address, sponsor, channel, sinceNanos, next);
            }
        }

        record Over() implements Phase {}
    }

    /**
     * The state of a pairing.
     *
     * @param untilNanos time at which the search ends
     * @param runs number of runs begun
     * @param dials number of connections tried
     * @param met identities that had their run
     * @param last the last run that failed
     */
    public record State(
            long untilNanos,
            int runs,
            int dials,
            SortedMap<String, PairingPeer> places,
            SortedSet<PeerId> met,
            Optional<Outcome.Failed> last,
            String lastTrouble,
            Phase phase) {
        public State {
            places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
            met = Collections.unmodifiableSortedSet(new TreeSet<>(met));
        }

        State at(Phase next) {
            return new State(untilNanos, runs, dials, places, met, last, lastTrouble, next);
        }

        State place(String name, PairingPeer place) {
            var changed = new TreeMap<>(places);
            changed.put(name, place);
            return new State(untilNanos, runs, dials, changed, met, last, lastTrouble, phase);
        }

        State dial(Phase.Dialing next) {
            return new State(untilNanos, runs, dials + 1, places, met, last, lastTrouble, next);
        }

        State run(Phase.Running next) {
            return new State(untilNanos, runs + 1, dials, places, met, last, lastTrouble, next);
        }

        State failed(Outcome.Failed failed, long lookUntilNanos) {
            return new State(
                    lookUntilNanos, runs, dials, places, met, Optional.of(failed), lastTrouble, new Phase.Seeking());
        }

        State trouble(String why) {
            return new State(untilNanos, runs, dials, places, met, last, why, new Phase.Seeking());
        }

        State had(PeerId sponsor) {
            var more = new TreeSet<>(met);
            more.add(sponsor);
            return new State(untilNanos, runs, dials, places, more, last, lastTrouble, phase);
        }
    }

    /** The start state, without a known sponsor. */
    public State fresh(long nowNanos) {
        return new State(
                nowNanos + limits.waitNanos(),
                0,
                0,
                new TreeMap<>(),
                new TreeSet<>(),
                Optional.empty(),
                "",
                new Phase.Seeking());
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        if (state.phase() instanceof Phase.Over) {
            return Step.quiet(state);
        }
        return switch (event) {
            case Event.Sighted(var place, var addresses) -> seek(sighted(state, place, addresses, nowNanos), nowNanos);
            case Event.Met met -> onMet(state, met, nowNanos);
            case Event.NotMet(var address, var why) -> onNotMet(state, address, why, nowNanos);
            case Event.Arrived(var sponsor, var frame) -> onFrame(state, sponsor, frame, nowNanos);
            case Event.Gone(var sponsor) -> onGone(state, sponsor, nowNanos);
            case Event.Stored() -> onStored(state);
            case Event.NotStored(var why) -> onNotStored(state, why);
            case Event.Tick() -> onTick(state, nowNanos);
        };
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        return switch (state.phase()) {
            case Phase.Over() -> Long.MAX_VALUE;
            case Phase.Running running when running.stage() instanceof Stage.Storing -> Long.MAX_VALUE;
            case Phase.Running running -> Math.max(0, limits.runNanos() - (nowNanos - running.sinceNanos()));
            case Phase.Dialing _ -> Math.max(0, state.untilNanos() - nowNanos);
            case Phase.Seeking() -> {
                long sleep = state.untilNanos() - nowNanos;
                for (PairingPeer place : state.places().values()) {
                    if (!place.isOver()) {
                        sleep = Math.min(sleep, place.notBeforeNanos() - nowNanos);
                    }
                }
                yield Math.max(0, sleep);
            }
        };
    }

    private State sighted(State state, String name, List<String> addresses, long nowNanos) {
        PairingPeer known = state.places().get(name);
        if (addresses.isEmpty() || (known == null && state.places().size() >= limits.placesMax())) {
            return state;
        }
        PairingPeer place = known == null ? new PairingPeer(List.of(), 0, nowNanos, false) : known;
        return state.place(name, place.heard(addresses));
    }

    /** Dials the place that waits longest, if no dial or run is in progress. */
    private Step<State, Effect> seek(State state, long nowNanos) {
        if (!(state.phase() instanceof Phase.Seeking)) {
            return Step.quiet(state);
        }
        if (nowNanos - state.untilNanos() >= 0 || state.dials() >= limits.dialsMax()) {
            return end(state, nothingElse(state));
        }
        String best = "";
        long bestNanos = 0;
        for (var place : state.places().entrySet()) {
            long dueNanos = nowNanos - place.getValue().notBeforeNanos();
            if (!place.getValue().isOver() && dueNanos >= 0 && (best.isEmpty() || dueNanos > bestNanos)) {
                best = place.getKey();
                bestNanos = dueNanos;
            }
        }
        PairingPeer place = state.places().get(best);
        if (place == null) {
            return Step.quiet(state);
        }
        String address = place.addresses().get(place.next());
        return new Step<>(state.dial(new Phase.Dialing(best, address)), List.of(new Effect.Dial(address)));
    }

    private Outcome nothingElse(State state) {
        return state.last().isPresent() ? state.last().get() : new Outcome.NotFound(state.lastTrouble());
    }

    private Step<State, Effect> onMet(State state, Event.Met met, long nowNanos) {
        if (!(state.phase() instanceof Phase.Dialing(var name, var address)) || !address.equals(met.address())) {
            return new Step<>(state, List.of(new Effect.Close(met.sponsor(), "this connection is not needed")));
        }
        PeerId peer = met.sponsor().peer();
        if (peer.equals(self) || state.met().contains(peer)) {
            String why = peer.equals(self) ? "it is this machine itself" : "it had its run already";
            Step<State, Effect> on = seek(over(state, name).trouble(why), nowNanos);
            return prefixed(new Effect.Close(met.sponsor(), why), on);
        }
        var channel = new Channel(met.exporter(), self, peer);
        Pake pake = pakes.begin(channel.joinerName(), channel.sponsorName(), code.secret());
        Bytes own = PairingEncoding.encode(pake.round1());
        var running =
                new Phase.Running(name, address, met.sponsor(), channel, nowNanos, new Stage.AwaitRound1(pake, own));
        return new Step<>(state.had(peer).run(running), List.of(new Effect.Send(met.sponsor(), own)));
    }

    private Step<State, Effect> onNotMet(State state, String address, String why, long nowNanos) {
        if (!(state.phase() instanceof Phase.Dialing(var name, var dialed)) || !dialed.equals(address)) {
            return Step.quiet(state);
        }
        return seek(later(state, name, limits.retryNanos(), nowNanos).trouble(address + ": " + why), nowNanos);
    }

    private Step<State, Effect> onFrame(State state, NodeId sponsor, Bytes frame, long nowNanos) {
        if (!(state.phase() instanceof Phase.Running running)
                || !running.sponsor().equals(sponsor)
                || running.stage() instanceof Stage.Storing) {
            return Step.quiet(state);
        }
        PairingMessage message;
        try {
            message = PairingEncoding.decode(frame);
        } catch (MalformedMessageException malformed) {
            return fail(state, PairingFailure.MALFORMED, String.valueOf(malformed.getMessage()), nowNanos);
        }
        if (message instanceof PairingMessage.Sorry(var failure, var left)) {
            return failed(state, running, failure, failure.text(), left, nowNanos);
        }
        try {
            return switch (running.stage()) {
                case Stage.AwaitRound1 stage
                when message instanceof PairingMessage.Round1 theirs -> onRound1(state, running, stage, theirs, frame);
                case Stage.AwaitRound2 stage
                when message instanceof PairingMessage.Round2 theirs -> onRound2(state, running, stage, theirs, frame);
                case Stage.AwaitWelcome(var keys)
                when message instanceof PairingMessage.Welcome welcome ->
                    onWelcome(state, running, keys, welcome, nowNanos);
                case Stage.AwaitPages stage
                when message instanceof PairingMessage.Page(var part) -> onPage(state, running, stage, part, nowNanos);
                case Stage stage ->
                    fail(
                            state,
                            PairingFailure.MALFORMED,
                            message.getClass().getSimpleName() + " does not belong in "
                                    + stage.getClass().getSimpleName(),
                            nowNanos);
            };
        } catch (PakeException refused) {
            return fail(state, PairingFailure.PROOF, String.valueOf(refused.getMessage()), nowNanos);
        }
    }

    private Step<State, Effect> onRound1(
            State state, Phase.Running running, Stage.AwaitRound1 stage, PairingMessage.Round1 theirs, Bytes frame)
            throws PakeException {
        stage.pake().accept(theirs);
        Bytes own = PairingEncoding.encode(stage.pake().round2());
        return new Step<>(
                state.at(running.at(new Stage.AwaitRound2(stage.pake(), stage.own(), frame, own))),
                List.of(new Effect.Send(running.sponsor(), own)));
    }

    private Step<State, Effect> onRound2(
            State state, Phase.Running running, Stage.AwaitRound2 stage, PairingMessage.Round2 theirs, Bytes frame)
            throws PakeException {
        byte[] key = stage.pake().accept(theirs);
        var keys = PairingKeys.of(
                key, new Transcript(running.channel(), stage.own1(), stage.theirs1(), stage.own2(), frame));
        var confirm =
                new PairingMessage.Confirm(keys.joinerMac(), keys.sealLabel(label.getBytes(StandardCharsets.UTF_8)));
        return new Step<>(
                state.at(running.at(new Stage.AwaitWelcome(keys))),
                List.of(new Effect.Send(running.sponsor(), PairingEncoding.encode(confirm))));
    }

    private Step<State, Effect> onWelcome(
            State state, Phase.Running running, PairingKeys keys, PairingMessage.Welcome welcome, long nowNanos) {
        if (!PairingKeys.matches(keys.sponsorMac(), welcome.mac())) {
            return fail(state, PairingFailure.WRONG_CODE, "the machine there does not know the code", nowNanos);
        }
        int most = limits.welcomeBytesMax() + PairingEncoding.LABEL_BYTES_MAX + PairingKeys.SEAL_BYTES;
        if (welcome.sealedBytes() < PairingKeys.SEAL_BYTES || welcome.sealedBytes() > most) {
            return fail(
                    state,
                    PairingFailure.MALFORMED,
                    "a welcome has at most " + most + " bytes, got " + welcome.sealedBytes(),
                    nowNanos);
        }
        return Step.quiet(state.at(running.at(new Stage.AwaitPages(keys, welcome.sealedBytes(), List.of(), 0))));
    }

    private Step<State, Effect> onPage(
            State state, Phase.Running running, Stage.AwaitPages stage, Bytes part, long nowNanos) {
        int bytes = stage.bytes() + part.size();
        int pagesMax = stage.sealedBytes() / limits.pageBytesMax() + 1;
        if (bytes > stage.sealedBytes() || stage.pages().size() >= pagesMax) {
            return fail(state, PairingFailure.MALFORMED, "more pages came than were announced", nowNanos);
        }
        var pages = new ArrayList<>(stage.pages());
        pages.add(part);
        if (bytes < stage.sealedBytes()) {
            return Step.quiet(
                    state.at(running.at(new Stage.AwaitPages(stage.keys(), stage.sealedBytes(), pages, bytes))));
        }
        var sealed = new ByteArrayOutputStream(bytes);
        pages.forEach(page -> sealed.writeBytes(page.toArray()));
        Optional<byte[]> plain = stage.keys().openWelcome(sealed.toByteArray());
        Optional<Greeting> greeting = plain.flatMap(Greeting::decode);
        plain.ifPresent(opened -> Arrays.fill(opened, (byte) 0));
        if (greeting.isEmpty()) {
            return fail(state, PairingFailure.MALFORMED, "the welcome cannot be opened", nowNanos);
        }
        stage.keys().destroy();
        return new Step<>(
                state.at(running.at(new Stage.Storing(greeting.get().label()))),
                List.of(new Effect.Accept(
                        running.sponsor(),
                        greeting.get().label(),
                        greeting.get().welcome())));
    }

    private Step<State, Effect> onStored(State state) {
        if (!(state.phase() instanceof Phase.Running running)
                || !(running.stage() instanceof Stage.Storing(var sponsorLabel))) {
            return Step.quiet(state);
        }
        Effect done = new Effect.Send(running.sponsor(), PairingEncoding.encode(new PairingMessage.Done()));
        return prefixed(done, end(state, new Outcome.Paired(running.sponsor(), sponsorLabel, running.address())));
    }

    private Step<State, Effect> onNotStored(State state, String why) {
        if (!(state.phase() instanceof Phase.Running running) || !(running.stage() instanceof Stage.Storing)) {
            return Step.quiet(state);
        }
        var sorry = new PairingMessage.Sorry(PairingFailure.UNABLE, 0);
        return prefixed(
                new Effect.Send(running.sponsor(), PairingEncoding.encode(sorry)),
                end(state, new Outcome.NotStored(why)));
    }

    private Step<State, Effect> onGone(State state, NodeId sponsor, long nowNanos) {
        return state.phase() instanceof Phase.Running running
                        && running.sponsor().equals(sponsor)
                        && !(running.stage() instanceof Stage.Storing)
                ? fail(state, PairingFailure.HUNG_UP, PairingFailure.HUNG_UP.text(), nowNanos)
                : Step.quiet(state);
    }

    private Step<State, Effect> onTick(State state, long nowNanos) {
        return switch (state.phase()) {
            case Phase.Seeking() -> seek(state, nowNanos);
            case Phase.Dialing _ ->
                nowNanos - state.untilNanos() >= 0 ? end(state, nothingElse(state)) : Step.quiet(state);
            case Phase.Running running
            when !(running.stage() instanceof Stage.Storing) && nowNanos - running.sinceNanos() >= limits.runNanos() ->
                fail(
                        state,
                        PairingFailure.TOO_LATE,
                        "it took longer than " + limits.runNanos() / 1_000_000 + " ms",
                        nowNanos);
            case Phase.Running _, Phase.Over() -> Step.quiet(state);
        };
    }

    /** Ends the current run for a reason of this side, and reports it to the other side. */
    private Step<State, Effect> fail(State state, PairingFailure failure, String why, long nowNanos) {
        if (!(state.phase() instanceof Phase.Running running)) {
            throw new IllegalStateException("no run to fail: " + why);
        }
        Effect sorry = new Effect.Send(running.sponsor(), PairingEncoding.encode(new PairingMessage.Sorry(failure, 0)));
        return prefixed(sorry, failed(state, running, failure, why, 0, nowNanos));
    }

    private Step<State, Effect> failed(
            State state, Phase.Running running, PairingFailure failure, String why, int left, long nowNanos) {
        wipe(running.stage());
        var outcome = new Outcome.Failed(state.runs(), failure, why, running.address(), left);
        boolean again = failure == PairingFailure.BUSY;
        State now = again
                ? forgiven(
                        later(state, running.place(), limits.runNanos(), nowNanos),
                        running.sponsor().peer())
                : over(state, running.place());
        boolean isAnotherKnown = now.places().values().stream().anyMatch(place -> !place.isOver());
        long lookUntilNanos = isAnotherKnown
                ? state.untilNanos()
                : nowNanos + Math.min(limits.graceNanos(), Math.max(0, state.untilNanos() - nowNanos));
        now = now.failed(outcome, lookUntilNanos);
        var effects = new ArrayList<Effect>();
        effects.add(new Effect.Close(running.sponsor(), failure.text()));
        effects.add(new Effect.Failed(running.sponsor(), running.address(), failure, why));
        Step<State, Effect> on = now.runs() >= limits.runsMax() ? end(now, outcome) : seek(now, nowNanos);
        effects.addAll(on.effects());
        return new Step<>(on.state(), effects);
    }

    private static void wipe(Stage stage) {
        switch (stage) {
            case Stage.AwaitWelcome(var keys) -> keys.destroy();
            case Stage.AwaitPages pages -> pages.keys().destroy();
            case Stage.AwaitRound1 _, Stage.AwaitRound2 _, Stage.Storing _ -> {}
        }
    }

    private static State over(State state, String name) {
        PairingPeer place = state.places().get(name);
        return place == null ? state : state.place(name, place.over());
    }

    private static State later(State state, String name, long nanos, long nowNanos) {
        PairingPeer place = state.places().get(name);
        return place == null ? state : state.place(name, place.later(nowNanos + nanos));
    }

    private static State forgiven(State state, PeerId sponsor) {
        var fewer = new TreeSet<>(state.met());
        fewer.remove(sponsor);
        return new State(
                state.untilNanos(),
                state.runs(),
                state.dials(),
                state.places(),
                fewer,
                state.last(),
                state.lastTrouble(),
                state.phase());
    }

    private static Step<State, Effect> end(State state, Outcome outcome) {
        return new Step<>(state.at(new Phase.Over()), List.of(new Effect.Ended(outcome)));
    }

    private static Step<State, Effect> prefixed(Effect first, Step<State, Effect> then) {
        var effects = new ArrayList<Effect>();
        effects.add(first);
        effects.addAll(then.effects());
        return new Step<>(then.state(), effects);
    }
}
