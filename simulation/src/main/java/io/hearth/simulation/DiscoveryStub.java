package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.Nonces;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.gossip.AddressGossip;
import io.hearth.discovery.gossip.AddressNews;
import io.hearth.discovery.gossip.Reached;
import io.hearth.discovery.mdns.machine.Advert;
import io.hearth.discovery.table.PeerTable;
import io.hearth.discovery.table.PeerTableLimits;
import io.hearth.discovery.table.PeerTableMachine;
import io.hearth.discovery.table.PeerTableMachine.Effect;
import io.hearth.discovery.table.PeerTableMachine.Event;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** How one process finds the others: the real peer table, announcements that may be lost, and dials over the network. */
final class DiscoveryStub {
    private static final long ANNOUNCE_NANOS = 3 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final PeerTableMachine machine;
    private final Bytes nonce;
    private final AddressGossip gossip;
    private PeerTable table = PeerTable.EMPTY;
    private AddressGossip.State told = AddressGossip.State.EMPTY;

    DiscoveryStub(NodeProcess process) {
        this.process = process;
        this.world = process.world;
        this.machine = new PeerTableMachine(limits());
        this.gossip = new AddressGossip(process.host.id);
        byte[] bytes = new byte[Advert.NONCE_BYTES];
        world.random.nextBytes(bytes);
        this.nonce = Bytes.of(bytes);
    }

    /** Where addresses come from members alone, they are not forgotten before they are told again: a day is longer than a minute. */
    private PeerTableLimits limits() {
        PeerTableLimits dials = world.spans.dials();
        return !world.profile.has(FaultKind.OUT_OF_SIGHT)
                ? dials
                : new PeerTableLimits(
                        dials.recordsMax(),
                        dials.dialsPerSecondMax(),
                        dials.pauseMinNanos(),
                        dials.pauseMaxNanos(),
                        dials.pauseMissedMaxNanos(),
                        dials.missedForNanos(),
                        dials.giveWayNanos(),
                        dials.attemptDelayNanos(),
                        dials.dialTimeoutNanos(),
                        Math.max(dials.forgetAfterNanos(), 2 * AddressGossip.REPEAT_NANOS));
    }

    /** Asks who is there, and says that it is there, again and again. */
    void begin() {
        for (NodeProcess other : world.cluster.processes()) {
            tell(other, process);
        }
        announce();
    }

    private void announce() {
        if (!process.isAlive()) {
            return;
        }
        for (NodeProcess other : world.cluster.processes()) {
            tell(process, other);
        }
        world.after(ANNOUNCE_NANOS, this::announce);
    }

    private void tell(NodeProcess from, NodeProcess to) {
        if (from != to && isInSight(from.host, to.host) && world.network.copies(from.host.index, to.host.index) > 0) {
            world.after(
                    MILLI + world.random.nextLong(20 * MILLI),
                    () -> to.deliver(() -> to.stub().sighted(from)));
        }
    }

    /** Where machines are out of sight of each other, one hears its neighbours only. */
    private boolean isInSight(Host one, Host other) {
        return !world.profile.has(FaultKind.OUT_OF_SIGHT)
                || world.cluster.hosts().stream()
                        .filter(host -> !world.expulsion.isOut(host))
                        .mapToInt(Host::machine)
                        .filter(machine -> machine > Math.min(one.machine(), other.machine())
                                && machine < Math.max(one.machine(), other.machine()))
                        .findAny()
                        .isEmpty();
    }

    private void sighted(NodeProcess other) {
        step(new Event.Sighted(new Sighting(
                other.host.id.text() + "#" + other.incarnation,
                List.of(new Candidate(other.host.address(), Medium.WIRED)),
                SourceKind.MDNS,
                OptionalInt.of(1),
                Optional.of(new Nonces(nonce, other.stub().nonce)))));
    }

    /** Members without a link to this process are heard by somebody: they are worth a dial at once. */
    void heardByOthers(View view) {
        gossip(new AddressGossip.Event.Together(
                view.members().stream().map(Member::node).collect(Collectors.toSet())));
        for (NodeProcess other : world.cluster.processes()) {
            if (other != process
                    && view.member(other.host.id).isPresent()
                    && !world.cluster.areLinked(process, other)) {
                step(new Event.Vouched(other.host.id));
            }
        }
    }

    void linked(Event link, NodeId node, PeerAddress address) {
        step(link);
        gossip(new AddressGossip.Event.Linked(node, address));
    }

    void lost(NodeId node) {
        step(new Event.Lost(node));
        gossip(new AddressGossip.Event.Lost(node));
    }

    void tick() {
        step(new Event.Tick());
        gossip(new AddressGossip.Event.Tick());
    }

    /** Where all hear each other's mDNS, members tell nothing new. */
    private void gossip(AddressGossip.Event event) {
        if (!process.isAlive() || !world.profile.has(FaultKind.OUT_OF_SIGHT)) {
            return;
        }
        world.tally.event();
        Step<AddressGossip.State, AddressGossip.Effect> step = gossip.step(told, event, world.now());
        told = step.state();
        for (AddressGossip.Effect effect : step.effects()) {
            switch (effect) {
                case AddressGossip.Effect.Tell(NodeId to, AddressNews news) -> {
                    if (world.hooks.gossips()) {
                        send(to, news);
                    }
                }
                case AddressGossip.Effect.Hint(Reached reached, boolean ownTurn) ->
                    step(new Event.Told(reached.node(), reached.addresses(), ownTurn));
            }
        }
    }

    private void send(NodeId to, AddressNews news) {
        world.cluster
                .host(to)
                .flatMap(Host::process)
                .filter(target -> world.cluster.areLinked(process, target)
                        && !world.network.isCutEitherWay(process.host.index, target.host.index))
                .ifPresent(target -> world.after(
                        MILLI + world.gossips.nextLong(20 * MILLI),
                        () -> target.deliver(() -> {
                            world.tally.fault(FaultKind.OUT_OF_SIGHT);
                            target.stub().gossip(new AddressGossip.Event.Heard(process.host.id, news));
                        })));
    }

    long sleepNanos() {
        long sleep = machine.sleepNanos(table, world.now());
        return world.profile.has(FaultKind.OUT_OF_SIGHT)
                ? Math.min(sleep, gossip.sleepNanos(told, world.now()))
                : sleep;
    }

    void step(Event event) {
        if (!process.isAlive()) {
            return;
        }
        world.tally.event();
        Step<PeerTable, Effect> step = machine.step(table, event, world.now());
        table = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Dial(PeerAddress address, var _) -> world.cluster.dial(process, address);
                case Effect.Remember _, Effect.Forget _ -> {}
            }
        }
    }
}
