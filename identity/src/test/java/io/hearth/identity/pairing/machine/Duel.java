package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A sponsor and joining machines, connected in memory, with an optional attacker on each connection. Messages travel in order; time passes
 * only when a test says so.
 */
final class Duel {
    /** An attacker on the connection, who replaces a frame by any number of frames. */
    @FunctionalInterface
    interface Tap {
        List<Bytes> pass(boolean toSponsor, Bytes frame);
    }

    static final PairingCode CODE = PairingCode.of(42, 12_345_678);
    static final PairingLimits LIMITS = PairingLimits.DEFAULT;
    static final String ADDRESS = "192.168.1.9:52400";
    static final Bytes EXPORTER = Bytes.of(filled(32, 7));

    final NodeId sponsorId = node(1);
    final SponsorMachine sponsor;
    SponsorMachine.State sponsorState;
    final List<SponsorMachine.Effect> bySponsor = new ArrayList<>();

    NodeId joinerId = node(2);
    JoinerMachine joiner;
    JoinerMachine.State joinerState;
    final List<JoinerMachine.Effect> byJoiner = new ArrayList<>();

    Bytes sponsorsExporter = EXPORTER;
    Bytes joinersExporter = EXPORTER;
    Tap tap = (_, frame) -> List.of(frame);
    Bytes welcome = Bytes.of(filled(100, 9));
    boolean isDiskFull;
    long now = 1_000;

    private final Deque<Runnable> underWay = new ArrayDeque<>();
    private final long seed;
    private int joiners;

    Duel(long seed, Bytes welcome) {
        this(seed);
        this.welcome = welcome;
    }

    Duel(long seed) {
        this.seed = seed;
        sponsor = new SponsorMachine(sponsorId.peer(), "study", CODE, Exchanges.of(seed), LIMITS);
        sponsorState = SponsorMachine.State.fresh(now);
        joiner = newcomer(CODE);
        joinerState = joiner.fresh(now);
    }

    static NodeId node(int number) {
        return new NodeId(PeerId.of(filled(32, number)), "pair");
    }

    static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** Adds another joining machine, with that code. */
    void newcomer(int number, PairingCode code) {
        joinerId = node(number);
        joiner = newcomer(code);
        joinerState = joiner.fresh(now);
        byJoiner.clear();
    }

    private JoinerMachine newcomer(PairingCode code) {
        joiners++;
        return new JoinerMachine(
                joinerId.peer(), "kitchen", code, Exchanges.of(seed * 31 + joiners), LIMITS.graceNanos(0));
    }

    /** The joining machine finds the sponsor; runs until no message is left. */
    Duel play() {
        toJoiner(new JoinerMachine.Event.Sighted("place", List.of(ADDRESS)));
        deliver();
        return this;
    }

    void deliver() {
        while (!underWay.isEmpty()) {
            underWay.remove().run();
        }
    }

    void tickBoth(long nanos) {
        now += nanos;
        toSponsor(new SponsorMachine.Event.Tick());
        toJoiner(new JoinerMachine.Event.Tick());
        deliver();
    }

    void toSponsor(SponsorMachine.Event event) {
        Step<SponsorMachine.State, SponsorMachine.Effect> step = sponsor.step(sponsorState, event, now);
        sponsorState = step.state();
        for (SponsorMachine.Effect effect : step.effects()) {
            bySponsor.add(effect);
            switch (effect) {
                case SponsorMachine.Effect.Send(var to, var frame) -> {
                    if (to.equals(joinerId)) {
                        for (Bytes passed : tap.pass(false, frame)) {
                            underWay.add(() -> toJoiner(new JoinerMachine.Event.Arrived(sponsorId, passed)));
                        }
                    }
                }
                case SponsorMachine.Effect.Close(var to, var _) -> {
                    if (to.equals(joinerId)) {
                        underWay.add(() -> toJoiner(new JoinerMachine.Event.Gone(sponsorId)));
                    }
                }
                case SponsorMachine.Effect.Ask _ -> toSponsor(new SponsorMachine.Event.Ready(welcome));
                case SponsorMachine.Effect.Failed _, SponsorMachine.Effect.Ended _ -> {}
            }
        }
    }

    void toJoiner(JoinerMachine.Event event) {
        Step<JoinerMachine.State, JoinerMachine.Effect> step = joiner.step(joinerState, event, now);
        joinerState = step.state();
        NodeId from = joinerId;
        for (JoinerMachine.Effect effect : step.effects()) {
            byJoiner.add(effect);
            switch (effect) {
                case JoinerMachine.Effect.Dial(var address) ->
                    underWay.add(() -> {
                        toSponsor(new SponsorMachine.Event.Met(from, sponsorsExporter, "192.168.1.77"));
                        toJoiner(new JoinerMachine.Event.Met(sponsorId, joinersExporter, address));
                    });
                case JoinerMachine.Effect.Send(var _, var frame) -> {
                    for (Bytes passed : tap.pass(true, frame)) {
                        underWay.add(() -> toSponsor(new SponsorMachine.Event.Arrived(from, passed)));
                    }
                }
                case JoinerMachine.Effect.Close _ -> underWay.add(() -> toSponsor(new SponsorMachine.Event.Gone(from)));
                case JoinerMachine.Effect.Accept _ ->
                    toJoiner(
                            isDiskFull
                                    ? new JoinerMachine.Event.NotStored("the disk is full")
                                    : new JoinerMachine.Event.Stored());
                case JoinerMachine.Effect.Failed _, JoinerMachine.Effect.Ended _ -> {}
            }
        }
    }

    /** A machine that breaks the rules sends a message to the sponsor. */
    void say(NodeId from, PairingMessage message) {
        say(from, PairingEncoding.encode(message));
    }

    void say(NodeId from, Bytes frame) {
        toSponsor(new SponsorMachine.Event.Arrived(from, frame));
        deliver();
    }

    void meet(NodeId from) {
        toSponsor(new SponsorMachine.Event.Met(from, sponsorsExporter, "192.168.1.66"));
    }

    Optional<SponsorMachine.Outcome> sponsorsEnd() {
        return bySponsor.stream()
                .filter(SponsorMachine.Effect.Ended.class::isInstance)
                .map(effect -> ((SponsorMachine.Effect.Ended) effect).outcome())
                .findFirst();
    }

    Optional<JoinerMachine.Outcome> joinersEnd() {
        return byJoiner.stream()
                .filter(JoinerMachine.Effect.Ended.class::isInstance)
                .map(effect -> ((JoinerMachine.Effect.Ended) effect).outcome())
                .findFirst();
    }

    List<PairingFailure> failures() {
        return bySponsor.stream()
                .filter(SponsorMachine.Effect.Failed.class::isInstance)
                .map(effect -> ((SponsorMachine.Effect.Failed) effect).failure())
                .toList();
    }

    /** All messages of one kind that the sponsor sent. */
    <M extends PairingMessage> List<M> said(Class<M> kind) {
        return bySponsor.stream()
                .filter(SponsorMachine.Effect.Send.class::isInstance)
                .map(effect -> decode(((SponsorMachine.Effect.Send) effect).frame()))
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    static PairingMessage decode(Bytes frame) {
        try {
            return PairingEncoding.decode(frame);
        } catch (MalformedMessageException bug) {
            throw new AssertionError(bug);
        }
    }
}
