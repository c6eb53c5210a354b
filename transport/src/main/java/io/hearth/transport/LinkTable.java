package io.hearth.transport;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.HandshakeMachine.Event;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The links of a node, one for each other node. Changed by the event loop only; any thread may look. */
final class LinkTable implements Doorkeeper {
    private static final Logger LOG = LoggerFactory.getLogger(LinkTable.class);

    private final NodeId self;
    private final AdmissionPolicy policy;
    private final int linksMax;
    private final LinkObserver observer;
    private final StreamMessages streams;
    private final Tally tally;
    private final RefusalLog refusals;
    private final Map<NodeId, Link> links = new ConcurrentHashMap<>();

    LinkTable(
            NodeId self,
            AdmissionPolicy policy,
            int linksMax,
            LinkObserver observer,
            StreamMessages streams,
            Tally tally,
            Clock clock) {
        this.self = self;
        this.policy = policy;
        this.linksMax = linksMax;
        this.observer = observer;
        this.streams = streams;
        this.tally = tally;
        this.refusals = new RefusalLog(clock);
    }

    Optional<Link> link(NodeId peer) {
        return Optional.ofNullable(links.get(peer));
    }

    List<Link> all() {
        return List.copyOf(links.values());
    }

    @Override
    public Event decide(RemoteNode node) {
        NodeId id = node.endpoint().id();
        Optional<String> blocked = policy.refuses(id);
        if (blocked.isPresent()) {
            return new Event.Denied(Refusal.BLOCKED, blocked.get());
        }
        Link held = links.get(id);
        if (held == null) {
            return links.size() < linksMax
                    ? new Event.Allowed()
                    : new Event.Denied(Refusal.TOO_MANY, "this node has " + linksMax + " links, its most");
        }
        return switch (LinkChoice.judge(self, held.node(), node)) {
            case REPLACES, SUCCEEDS -> new Event.Allowed();
            case STALE ->
                new Event.Denied(
                        Refusal.OLD_INCARNATION,
                        "incarnation " + held.node().endpoint().incarnation() + " of this node is linked, this is "
                                + node.endpoint().incarnation());
            case YIELDS -> {
                // Who was dialled says no. Who dialled was admitted over there, where messages may already be on the
                // way.
                held.say(new LinkMessage.Probe()); // if the held one is dead, let it be noticed
                yield node.dialed()
                        ? new Event.Allowed()
                        : new Event.Denied(Refusal.DUPLICATE, "another link between the two nodes goes on");
            }
        };
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
            }
            case REPLACES -> {
                String why = "replaced by a newer start of the same node";
                forget(held, why);
                held.finish(CloseCause.REPLACED, why);
                links.put(id, link);
                announce(link);
            }
            case YIELDS, STALE -> link.retire();
        }
    }

    @Override
    public void refuse(InetSocketAddress address, Optional<PeerId> peer, Refusal refusal, String why, boolean byPeer) {
        tally.refused(refusal);
        String text = byPeer ? "the other side refused: " + why : why;
        refusals.log(address, peer, refusal, text);
        observer.refused(address, peer, refusal, text);
    }

    @Override
    public LinkHandler handlerOf(Link link) {
        return new LinkHandler(link, observer, streams, this, tally);
    }

    /** The connection of {@code link} is closed. */
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
        observer.admitted(link.info());
    }

    private void forget(Link link, String why) {
        NodeId id = link.node().endpoint().id();
        links.remove(id);
        LOG.debug("link lost peer={} reason={}", id.shortText(), why);
        streams.lost(id);
        observer.lost(id, why);
    }
}
