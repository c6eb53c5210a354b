package io.hearth.agent.peers;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.agent.loop.NodeEvent;
import io.hearth.core.Clock;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.RememberedPeers;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.gossip.AddressGossip;
import io.hearth.discovery.gossip.AddressNews;
import io.hearth.discovery.table.PeerTable;
import io.hearth.discovery.table.PeerTableLimits;
import io.hearth.discovery.table.PeerTableMachine;
import io.hearth.discovery.table.PeerTableMachine.Effect;
import io.hearth.discovery.table.PeerTableMachine.Event;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkInfo;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the effects of the peer table: dials, and remembers addresses that worked. Also reports to linked nodes where this node
 * reaches the others. Owner thread only.
 */
public final class PeerFinder {
    private static final Logger LOG = LoggerFactory.getLogger(PeerFinder.class);

    private final MachineDriver<PeerTable, Event, Effect> table;
    private final Dialer dialer;
    private final RememberedPeers remembered;
    private final BiConsumer<NodeId, AddressNews> reporter;
    private final Consumer<NodeId> listener;
    private final MachineDriver<AddressGossip.State, AddressGossip.Event, AddressGossip.Effect> gossip;

    /** Opens links and reports the outcomes. */
    public interface Dialer {
        void dial(InetSocketAddress address);

        /** Dials a linked node whose link is silent, unless the same interface of this machine leads to the address. */
        void dialAround(NodeId silent, InetSocketAddress address);
    }

    /**
     * A finder without any known peer.
     *
     * @param reporter sends addresses to a linked node
     * @param listener takes each node that a linked one reaches
     */
    public PeerFinder(
            NodeId self,
            Clock clock,
            Dialer dialer,
            RememberedPeers remembered,
            BiConsumer<NodeId, AddressNews> reporter,
            Consumer<NodeId> listener) {
        this.dialer = dialer;
        this.remembered = remembered;
        this.reporter = reporter;
        this.listener = listener;
        this.gossip = new MachineDriver<>(
                new AddressGossip(self),
                AddressGossip.State.EMPTY,
                new AddressGossip.Event.Tick(),
                clock,
                this::carryOut);
        this.table = new MachineDriver<>(
                new PeerTableMachine(PeerTableLimits.DEFAULT),
                PeerTable.EMPTY,
                new Event.Tick(),
                clock,
                this::carryOut);
    }

    public void tickIfDue() {
        table.tickIfDue();
        gossip.tickIfDue();
    }

    public long sleepNanos() {
        return Math.min(table.sleepNanos(), gossip.sleepNanos());
    }

    public void sighted(NodeEvent.Sighted sighted) {
        table.step(new Event.Sighted(sighted.sighting()));
    }

    /** Handles a new view. This node has no link to {@code missed}, but other members have. */
    public void together(Set<NodeId> members, Set<NodeId> missed) {
        gossip.step(new AddressGossip.Event.Together(members));
        missed.forEach(node -> table.step(new Event.Vouched(node)));
    }

    public void networkChanged() {
        table.step(new Event.NetworkChanged());
    }

    public void admitted(LinkInfo link) {
        NodeId node = link.peer().id();
        PeerAddress address = address(link.dialedByUs() ? link.address() : link.listens());
        table.step(link.dialedByUs() ? new Event.Admitted(address, node) : new Event.Accepted(address, node));
        gossip.step(new AddressGossip.Event.Linked(node, address));
    }

    /** Reports a dial that reached a linked node. Without an outcome its address would not be dialled when that link is lost. */
    public void reached(LinkInfo link) {
        table.step(new Event.Admitted(address(link.address()), link.peer().id()));
    }

    /** Handles a linked node that fell silent. */
    public void silent(NodeId node) {
        table.step(new Event.Silent(node));
    }

    public void lost(NodeEvent.Lost lost) {
        table.step(new Event.Lost(lost.peer()));
        gossip.step(new AddressGossip.Event.Lost(lost.peer()));
    }

    /** Handles a linked node's report of where it reaches others. */
    public void reported(NodeId from, AddressNews news) {
        gossip.step(new AddressGossip.Event.Heard(from, news));
    }

    /** Dials a machine again soon for a link, after one of the two re-keyed the other. */
    public void rekeyed(InetSocketAddress dialled) {
        table.step(new Event.DialFailed(address(dialled), "re-keyed"));
    }

    public void dialFailed(NodeEvent.DialFailed failed) {
        table.step(new Event.DialFailed(address(failed.address()), failed.why()));
    }

    public void refused(NodeEvent.Refused refused) {
        PeerAddress address = address(refused.address());
        table.step(
                switch (refused.refusal()) {
                    case REFLECTION ->
                        new Event.Rejected(address, PeerTableMachine.DialRejection.OWN_REFLECTION, refused.why());
                    case UNKNOWN,
                            VERSION,
                            NAMESPACE,
                            PURPOSE,
                            MALFORMED,
                            TOO_LARGE,
                            TLS,
                            BLOCKED,
                            SAME_NODE,
                            OUTDATED ->
                        new Event.Rejected(address, PeerTableMachine.DialRejection.FOREIGN, refused.why());
                    case HUNG_UP -> new Event.HungUp(address, refused.why());
                    case TOO_LATE, OLD_INCARNATION, DOUBLED, DUPLICATE, TOO_MANY ->
                        new Event.DialFailed(address, refused.why());
                });
    }

    private static PeerAddress address(InetSocketAddress address) {
        return SocketAddresses.peer(address.getAddress(), address.getPort());
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Dial dial -> dial(dial.address());
            case Effect.DialAround(NodeId node, PeerAddress address) ->
                usable(address).ifPresent(usable -> dialer.dialAround(node, usable));
            case Effect.Remember(var node, var addresses) -> remembered.remember(node, addresses);
            case Effect.Forget(var name, var why) -> {
                LOG.debug("forgot record={} why={}", name, why);
                remembered.forget(name);
            }
        }
    }

    private void carryOut(AddressGossip.Effect effect) {
        switch (effect) {
            case AddressGossip.Effect.Send(var to, var news) -> reporter.accept(to, news);
            case AddressGossip.Effect.Hint(var reached, boolean ownTurn) -> {
                table.step(new Event.Reported(reached.node(), reached.addresses(), ownTurn));
                listener.accept(reached.node());
            }
        }
    }

    private void dial(PeerAddress address) {
        LOG.debug("dialling address={}", address);
        usable(address)
                .ifPresentOrElse(
                        dialer::dial,
                        () -> table.step(new Event.DialFailed(address, "its interface is not there any more")));
    }

    /** The address to connect to; empty if this machine has no interface of its scope. */
    public static Optional<InetSocketAddress> usable(PeerAddress address) {
        try {
            return Optional.of(SocketAddresses.of(address));
        } catch (IllegalArgumentException unknownScope) {
            return Optional.empty();
        }
    }
}
