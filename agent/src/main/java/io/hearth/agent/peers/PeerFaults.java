package io.hearth.agent.peers;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.loop.RejectedEventException;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Faults of peers: messages that this node could not read, or that made a machine throw. Such a message closes the sender's link, is
 * counted for {@code status}, and never ends this node. A view that contradicts another one is counted too. It closes no link, because this
 * node cannot know which of the two is forged. Owner thread only.
 *
 * <p>If an event of this node itself makes a machine throw, that is a bug here, and the exception is thrown on. So is an exception of an
 * effect.
 */
public final class PeerFaults {
    private static final Logger LOG = LoggerFactory.getLogger(PeerFaults.class);
    private static final int KEPT_MAX = 16;
    private static final int TEXT_MAX = 200;
    private static final long KEPT_NANOS = 10 * 60_000_000_000L;

    private final Clock clock;
    private final BiConsumer<NodeId, String> closer;
    private final Map<String, Kept> kept = new LinkedHashMap<>();

    private record Kept(ClusterStatus.Fault fault, long nanos) {}

    /** @param closer ends the link to a node and sends it the reason */
    public PeerFaults(Clock clock, BiConsumer<NodeId, String> closer) {
        this.clock = clock;
        this.closer = closer;
    }

    /**
     * Passes an event to its handler.
     *
     * @return whether the handler accepted it
     */
    public boolean guard(NodeEvent event, Consumer<NodeEvent> handler) {
        try {
            handler.accept(event);
            return true;
        } catch (RejectedEventException rejected) {
            blame(event, rejected);
            return false;
        }
    }

    private void blame(NodeEvent event, RejectedEventException rejected) {
        String why = "what it sent caused a fault here: " + rejected.getCause();
        switch (event) {
            case NodeEvent.Message message -> close(message.from(), why);
            case NodeEvent.Admitted admitted -> close(admitted.link().peer().id(), why);
            case NodeEvent.RelayFailed failed -> count(failed.via().shortText(), why);
            case NodeEvent.Moved moved -> close(moved.link().peer().id(), why);
            case NodeEvent.Reached reached -> close(reached.link().peer().id(), why);
            case NodeEvent.Refused refused -> count(refused.address().toString(), why);
            case NodeEvent.DialFailed failed -> count(failed.address().toString(), why);
            case NodeEvent.RekeyMessage message -> {
                count(message.channel().peer().shortText(), why);
                message.channel().close(why);
            }
            case NodeEvent.RekeyOpened opened -> opened.channel().close(why);
            case NodeEvent.Sighted sighted -> count(sighted.sighting().name(), why);
            case NodeEvent.Lost _,
                    NodeEvent.Measuring _,
                    NodeEvent.RekeyClosed _,
                    NodeEvent.RosterStored _,
                    NodeEvent.RosterProblem _,
                    NodeEvent.Blocked _,
                    NodeEvent.Voted _,
                    NodeEvent.Doubled _,
                    NodeEvent.OwnDoubled _,
                    NodeEvent.NetworkChanged _,
                    NodeEvent.Loaded _,
                    NodeEvent.Progress _,
                    NodeEvent.GroupBroken _,
                    NodeEvent.Resign _,
                    NodeEvent.Leave _,
                    NodeEvent.Failed _ -> throw rejected;
        }
        LOG.debug("rejected: {}", event, rejected);
    }

    /** Counts a fault and ends the link to the node. */
    public void close(NodeId peer, String why) {
        String text = why.length() > TEXT_MAX ? why.substring(0, TEXT_MAX - 1) + "…" : why;
        count(peer.shortText(), text);
        closer.accept(peer, text);
    }

    /** Counts a fault of a sender without closing its link. */
    public void count(String who, String why) {
        Kept known = kept.remove(who);
        long count = known == null ? 1 : known.fault().count() + 1;
        if (Long.bitCount(count) == 1) { // a peer with many faults must not fill the log
            LOG.warn("rejected peer={} count={} why={}", who, count, why);
        }
        if (kept.size() >= KEPT_MAX) {
            kept.remove(kept.keySet().iterator().next());
        }
        kept.put(who, new Kept(new ClusterStatus.Fault(who, why, count), clock.nanoTime()));
    }

    /** The faults, the newest last; without those that did not happen again for some minutes. */
    public List<ClusterStatus.Fault> list() {
        long now = clock.nanoTime();
        kept.values().removeIf(old -> now - old.nanos() > KEPT_NANOS);
        return kept.values().stream().map(Kept::fault).toList();
    }
}
