package io.hearth.transport.control;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.AdmissionPolicy;
import io.hearth.transport.Appearance;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.machine.Doubles;
import io.hearth.transport.machine.HandshakeMachine;
import io.hearth.transport.machine.HandshakeMachine.Event;
import io.hearth.transport.machine.LinkChoice;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.machine.RekeyPlaces;
import io.hearth.transport.machine.RemoteNode;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The links of a node, one for each other node. Only the event loop changes it; any thread may read it. */
public final class LinkTable implements AdmissionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTable.class);

    private static final long REVIEW_NANOS = 1_000_000_000L;

    private final Endpoint own;
    private final NodeId self;
    private final AdmissionPolicy policy;
    private final int linksMax;
    private final LinkObserver observer;
    private final StreamMessages streams;
    private final RelayMessages relays;
    private final Tally tally;
    private final RefusalLog refusals;
    private final Map<NodeId, Link> links = new ConcurrentHashMap<>();
    private final Clock clock;
    private final Doubles doubles; // event loop only, like the next fields
    private SortedMap<PeerId, DoubledIdentity> doubled = new TreeMap<>();
    private long reviewedNanos;
    private boolean wasReported;
    private final RekeyPlaces rekeying = new RekeyPlaces();
    private long rekeyed;

    public LinkTable(
            Endpoint own,
            AdmissionPolicy policy,
            int linksMax,
            LinkObserver observer,
            StreamMessages streams,
            RelayMessages relays,
            Tally tally,
            Clock clock) {
        this.own = own;
        this.self = own.id();
        this.policy = policy;
        this.linksMax = linksMax;
        this.observer = observer;
        this.streams = streams;
        this.relays = relays;
        this.tally = tally;
        this.refusals = new RefusalLog(clock);
        this.clock = clock;
        this.doubles = new Doubles(clock.nanoTime());
        this.reviewedNanos = clock.nanoTime();
    }

    public Optional<Link> link(NodeId peer) {
        return Optional.ofNullable(links.get(peer));
    }

    public List<Link> all() {
        return List.copyOf(links.values());
    }

    @Override
    public Event decide(RemoteNode node, InetSocketAddress address) {
        NodeId id = node.endpoint().id();
        Optional<String> blocked =
                node.isRekeyed() ? policy.refusesRekey(id.peer(), node.common()) : policy.refuses(id);
        if (blocked.isPresent()) {
            return new Event.Denied(LinkRejection.BLOCKED, blocked.get());
        }
        if (node.isRekeyed()) {
            return rekeying.hasRoom(id.peer(), policy.outdated(id.peer()).isPresent())
                    ? new Event.Allowed()
                    : new Event.Denied(
                            LinkRejection.TOO_MANY, "this machine or too many others are being re-keyed already");
        }
        Optional<DoubledIdentity> found = met(node.endpoint(), address);
        Link held = links.get(id);
        if (held == null) {
            return links.size() < linksMax
                    ? new Event.Allowed()
                    : new Event.Denied(
                            LinkRejection.TOO_MANY, "this node has reached its limit of " + linksMax + " links");
        }
        return switch (LinkChoice.judge(self, held.node(), node)) {
            case REPLACES, SUCCEEDS -> new Event.Allowed();
            case STALE ->
                found.isPresent()
                        ? new Event.Denied(LinkRejection.DOUBLED, HandshakeMachine.DOUBLED, found)
                        : new Event.Denied(
                                LinkRejection.OLD_INCARNATION,
                                "incarnation " + held.node().endpoint().incarnation()
                                        + " of this node is linked, this is "
                                        + node.endpoint().incarnation());
            case YIELDS -> {
                // Only the side that was dialled denies. The dialling side is already admitted by the peer, whose
                // messages may
                // be in flight.
                held.say(new LinkMessage.Probe()); // if the held link is dead, this detects it
                yield node.dialed()
                        ? new Event.Allowed()
                        : new Event.Denied(LinkRejection.DUPLICATE, "another link between the two nodes continues");
            }
        };
    }

    @Override
    public Optional<String> outdated(PeerId peer) {
        return policy.outdated(peer);
    }

    @Override
    public RekeyHandler rekey(RemoteNode node, ChannelHandlerContext handshake, InetSocketAddress address) {
        PeerId peer = node.endpoint().id().peer();
        boolean isMember = policy.outdated(peer).isPresent();
        rekeying.add(peer, isMember);
        rekeyed++;
        return new RekeyHandler(
                peer,
                address,
                rekeyed,
                observer,
                () -> rekeying.remove(peer, isMember),
                (refusal, why) -> refusals.seldom(address, Optional.of(peer), refusal, why),
                handshake);
    }

    @Override
    public void admit(Link link) {
        NodeId id = link.node().endpoint().id();
        Link held = links.get(id);
        if (held == null) {
            links.put(id, link);
            announce(link);
            return;
        }
        switch (LinkChoice.judge(self, held.node(), link.node())) {
            case SUCCEEDS -> {
                links.put(id, link);
                held.retire();
                observer.moved(link.info());
                reached(link);
            }
            case REPLACES -> {
                String why = reason(held, link);
                forget(held, why);
                held.finish(CloseCause.REPLACED, why);
                links.put(id, link);
                announce(link);
            }
            case YIELDS, STALE -> {
                link.retire();
                reached(link);
            }
        }
    }

    private static String reason(Link held, Link next) {
        if (next.node().endpoint().incarnation() != held.node().endpoint().incarnation()) {
            return "replaced by a newer start of the same node";
        }
        return held.isRelayed() && !next.isRelayed()
                ? "replaced by a direct link"
                : "it was silent, and another way works";
    }

    private void reached(Link link) {
        if (link.node().dialed() && !link.isRelayed()) { // the address of a relayed one is that of the relay
            observer.reached(link.info());
        }
    }

    @Override
    public void refuse(
            InetSocketAddress address, boolean dialed, Optional<PeerId> peer, LinkRejection refusal, String why) {
        tally.refused(refusal);
        refusals.log(address, dialed, peer, refusal, why);
        observer.refused(address, peer, refusal, why);
    }

    /** Counts a connection that was closed unread. The observer is not called, because there may be thousands a second. */
    public void turnAway(InetSocketAddress address, LinkRejection refusal, String why) {
        tally.refused(refusal);
        refusals.seldom(address, Optional.empty(), refusal, why);
    }

    /**
     * Records the start of a node that proved itself. Returns evidence to send to it, if another computer uses its identity. This machine's
     * own identity is checked in the handshake.
     */
    private Optional<DoubledIdentity> met(Endpoint endpoint, InetSocketAddress address) {
        if (endpoint.id().peer().equals(self.peer())) {
            return Optional.empty();
        }
        Optional<DoubledIdentity> found =
                doubles.hello(endpoint, address.getAddress().getHostAddress(), clock.nanoTime());
        review(found.isPresent());
        return found;
    }

    /** Handles an incoming frame of a link. */
    void heard(Link link) {
        Optional<DoubledIdentity> found = doubles.frame(link.node().endpoint(), clock.nanoTime());
        found.ifPresent(evidence -> link.say(new LinkMessage.Duplicate(evidence)));
        review(found.isPresent());
    }

    private void review(boolean isNews) {
        long nowNanos = clock.nanoTime();
        if (!isNews && (doubled.isEmpty() || nowNanos - reviewedNanos < REVIEW_NANOS)) {
            return;
        }
        reviewedNanos = nowNanos;
        SortedMap<PeerId, DoubledIdentity> now = doubles.all(nowNanos);
        boolean isChange = !now.keySet().equals(doubled.keySet());
        doubled = now;
        if (isChange) {
            observer.doubled(now);
        }
    }

    @Override
    public void ownDoubled(DoubledIdentity found, NodeId by, InetSocketAddress address) {
        if (wasReported
                || !found.machine().equals(self.peer())
                || !found.other().isForeignTo(own)) {
            return; // already reported, or not of this computer
        }
        wasReported = true;
        Appearance other = found.other();
        observer.ownDoubled(
                other.address().isEmpty()
                        ? new DoubledIdentity(
                                found.machine(),
                                found.one(),
                                other.at(address.getAddress().getHostAddress()))
                        : found,
                by);
    }

    @Override
    public LinkHandler handlerOf(Link link) {
        return new LinkHandler(link, observer, streams, relays, this, tally);
    }

    /** Removes {@code link}, whose connection is closed. */
    void ended(Link link) {
        link.key().wipe();
        if (links.get(link.node().endpoint().id()) == link) {
            forget(link, link.ending());
        }
    }

    private void announce(Link link) {
        tally.admitted.increment();
        LOG.debug(
                "linked peer={} address={} dialed={}",
                link.node().endpoint().id().shortText(),
                link.remoteAddress(),
                link.node().dialed());
        streams.linked(link);
        observer.admitted(link.info());
    }

    private void forget(Link link, String why) {
        NodeId id = link.node().endpoint().id();
        links.remove(id);
        LOG.debug("link lost peer={} reason={}", id.shortText(), why);
        relays.lost(id);
        streams.lost(id);
        observer.lost(id, why);
    }
}
