package io.hearth.agent;

import io.hearth.core.Clock;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerTable;
import io.hearth.discovery.PeerTableLimits;
import io.hearth.discovery.PeerTableMachine;
import io.hearth.discovery.PeerTableMachine.Effect;
import io.hearth.discovery.PeerTableMachine.Event;
import io.hearth.discovery.RememberedPeers;
import io.hearth.discovery.SocketAddresses;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkInfo;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what the peer table decides: dials, and remembers addresses that worked. Owner thread only. */
final class PeerFinder {
    private static final Logger LOG = LoggerFactory.getLogger(PeerFinder.class);

    private final MachineDriver<PeerTable, Event, Effect> table;
    private final Consumer<InetSocketAddress> dialer;
    private final RememberedPeers remembered;

    PeerFinder(Clock clock, Consumer<InetSocketAddress> dialer, RememberedPeers remembered) {
        this.dialer = dialer;
        this.remembered = remembered;
        this.table = new MachineDriver<>(
                new PeerTableMachine(PeerTableLimits.DEFAULT),
                PeerTable.EMPTY,
                new Event.Tick(),
                clock,
                this::carryOut);
    }

    MachineDriver<PeerTable, Event, Effect> driver() {
        return table;
    }

    void sighted(NodeEvent.Sighted sighted) {
        table.step(new Event.Sighted(sighted.sighting()));
    }

    /** The node is in the view, so somebody hears it. */
    void vouched(NodeId node) {
        table.step(new Event.Vouched(node));
    }

    void networkChanged() {
        table.step(new Event.NetworkChanged());
    }

    void admitted(LinkInfo link) {
        table.step(
                link.dialedByUs()
                        ? new Event.Admitted(
                                address(link.address()), link.peer().id())
                        : new Event.Accepted(
                                address(link.listens()), link.peer().id()));
    }

    void lost(NodeEvent.Lost lost) {
        table.step(new Event.Lost(lost.peer()));
    }

    /** A machine was re-keyed, or re-keyed this one: it is dialled again soon, for a link. */
    void rekeyed(InetSocketAddress dialled) {
        table.step(new Event.DialFailed(address(dialled), "re-keyed"));
    }

    void dialFailed(NodeEvent.DialFailed failed) {
        table.step(new Event.DialFailed(address(failed.address()), failed.why()));
    }

    void refused(NodeEvent.Refused refused) {
        PeerAddress address = address(refused.address());
        table.step(
                switch (refused.refusal()) {
                    case REFLECTION ->
                        new Event.Refused(address, PeerTableMachine.Refusal.OWN_REFLECTION, refused.why());
                    case UNKNOWN,
                            VERSION,
                            NAMESPACE,
                            PURPOSE,
                            MALFORMED,
                            TOO_LARGE,
                            TLS,
                            BLOCKED,
                            SAME_NODE,
                            OUTDATED -> new Event.Refused(address, PeerTableMachine.Refusal.FOREIGN, refused.why());
                    case TOO_LATE, OLD_INCARNATION, DOUBLED, DUPLICATE, TOO_MANY, HUNG_UP ->
                        new Event.DialFailed(address, refused.why());
                });
    }

    private static PeerAddress address(InetSocketAddress address) {
        return SocketAddresses.peer(address.getAddress(), address.getPort());
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Dial dial -> dial(dial.address());
            case Effect.Remember(var node, var addresses) -> remembered.remember(node, addresses);
            case Effect.Forget(var name, var why) -> {
                LOG.debug("forgot record={} why={}", name, why);
                remembered.forget(name);
            }
        }
    }

    private void dial(PeerAddress address) {
        LOG.debug("dialling address={}", address);
        usable(address)
                .ifPresentOrElse(
                        dialer, () -> table.step(new Event.DialFailed(address, "its interface is not there any more")));
    }

    /** The address to connect to; empty if its scope names an interface that this machine does not have. */
    static Optional<InetSocketAddress> usable(PeerAddress address) {
        try {
            return Optional.of(SocketAddresses.of(address));
        } catch (IllegalArgumentException unknownScope) {
            return Optional.empty();
        }
    }
}
