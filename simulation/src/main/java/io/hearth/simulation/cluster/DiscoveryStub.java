package io.hearth.simulation.cluster;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

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
import io.hearth.simulation.host.Host;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Discovery of one process: the real peer table, announcements that may be lost, and dials over the network. */
final class DiscoveryStub {
    private static final long ANNOUNCE_NANOS = 3 * SECOND;

    final ProcessContext process;

    private final Neighbours neighbours;
    private final WorldSetting setting;
    private final PeerTableMachine machine;
    private final Bytes nonce;
    private final AddressGossip gossip;
    private PeerTable table = PeerTable.EMPTY;
    private AddressGossip.State told = AddressGossip.State.EMPTY;

    DiscoveryStub(ProcessContext process, Neighbours neighbours) {
        this.neighbours = neighbours;
        this.process = process;
        this.setting = process.setting();
        this.machine = new PeerTableMachine(limits());
        this.gossip = new AddressGossip(process.id());
        byte[] bytes = new byte[Advert.NONCE_BYTES];
        setting.random.nextBytes(bytes);
        this.nonce = Bytes.of(bytes);
    }

    /** Where only members report addresses, the table keeps them for longer than the interval between two reports. */
    private PeerTableLimits limits() {
        PeerTableLimits dials = setting.spans.dials();
        return !setting.profile.has(FaultKind.OUT_OF_SIGHT)
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

    /** Queries once, then announces itself periodically. */
    void begin() {
        for (DiscoveryStub other : neighbours.stubs()) {
            tell(other, this);
        }
        announce();
    }

    private void announce() {
        if (!process.isAlive()) {
            return;
        }
        for (DiscoveryStub other : neighbours.stubs()) {
            tell(this, other);
        }
        setting.after(ANNOUNCE_NANOS, this::announce);
    }

    private void tell(DiscoveryStub from, DiscoveryStub to) {
        Host one = from.process.host();
        Host other = to.process.host();
        if (from != to && isInSight(one, other) && setting.network.copies(one.index, other.index) > 0) {
            setting.after(
                    MILLI + setting.random.nextLong(20 * MILLI), () -> to.process.deliver(() -> to.sighted(from)));
        }
    }

    /** In a world where machines are out of each other's sight, each hears only the machines next to it. */
    private boolean isInSight(Host one, Host other) {
        return !setting.profile.has(FaultKind.OUT_OF_SIGHT)
                || setting.hosts().stream()
                        .filter(host -> !neighbours.isOut(host))
                        .mapToInt(Host::machine)
                        .filter(machine -> machine > Math.min(one.machine(), other.machine())
                                && machine < Math.max(one.machine(), other.machine()))
                        .findAny()
                        .isEmpty();
    }

    private void sighted(DiscoveryStub from) {
        ProcessContext other = from.process;
        step(new Event.Sighted(new Sighting(
                other.id().text() + "#" + other.incarnation(),
                List.of(new Candidate(other.host().address(), Medium.WIRED)),
                SourceKind.MDNS,
                OptionalInt.of(1),
                Optional.of(new Nonces(nonce, from.nonce)))));
    }

    /** Other members hear the members of a view, so those without a link to this process are worth a dial at once. */
    void heardByOthers(View view) {
        gossip(new AddressGossip.Event.Together(
                view.members().stream().map(Member::node).collect(Collectors.toSet())));
        for (DiscoveryStub stub : neighbours.stubs()) {
            ProcessContext other = stub.process;
            if (stub != this && view.member(other.id()).isPresent() && !neighbours.areLinked(process, other)) {
                step(new Event.Vouched(other.id()));
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

    /** Members report addresses only in worlds where mDNS does not reach all of them. */
    private void gossip(AddressGossip.Event event) {
        if (!process.isAlive() || !setting.profile.has(FaultKind.OUT_OF_SIGHT)) {
            return;
        }
        setting.statistics.event();
        Step<AddressGossip.State, AddressGossip.Effect> step = gossip.step(told, event, setting.now());
        told = step.state();
        for (AddressGossip.Effect effect : step.effects()) {
            switch (effect) {
                case AddressGossip.Effect.Send(NodeId to, AddressNews news) -> {
                    if (setting.hooks.keeps(ShellRule.GOSSIP)) {
                        send(to, news);
                    }
                }
                case AddressGossip.Effect.Hint(Reached reached, boolean ownTurn) ->
                    step(new Event.Reported(reached.node(), reached.addresses(), ownTurn));
            }
        }
    }

    private void send(NodeId to, AddressNews news) {
        neighbours
                .stub(to)
                .filter(target -> neighbours.areLinked(process, target.process)
                        && !setting.network.isCutEitherWay(process.host().index, target.process.host().index))
                .ifPresent(target -> setting.after(
                        MILLI + setting.gossips.nextLong(20 * MILLI),
                        () -> target.process.deliver(() -> {
                            setting.statistics.fault(FaultKind.OUT_OF_SIGHT);
                            target.gossip(new AddressGossip.Event.Heard(process.id(), news));
                        })));
    }

    long sleepNanos() {
        long sleep = machine.sleepNanos(table, setting.now());
        return setting.profile.has(FaultKind.OUT_OF_SIGHT)
                ? Math.min(sleep, gossip.sleepNanos(told, setting.now()))
                : sleep;
    }

    void step(Event event) {
        if (!process.isAlive()) {
            return;
        }
        setting.statistics.event();
        Step<PeerTable, Effect> step = machine.step(table, event, setting.now());
        table = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Dial(PeerAddress address, var _) -> neighbours.dial(process, address);
                case Effect.DialAround _, Effect.Remember _, Effect.Forget _ -> {} // no host here has two cables
            }
        }
    }
}
