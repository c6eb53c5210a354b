package io.hearth.agent.peers;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.links.Links;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Nodes that were linked and are not now: name, last address, time and reason, so that one knows which machine to walk to. An agent is kept
 * until it returns. Other nodes end with their programs: one that ended in order is not away, one that did not is forgotten after some minutes.
 * Owner thread only.
 */
public final class AwayPeers {
    private static final int KEPT_MAX = 64;
    private static final long OTHERS_KEPT_MILLIS = 10 * 60_000;

    private final Clock clock;
    private final Map<NodeId, ClusterStatus.Away> kept = new LinkedHashMap<>();

    public AwayPeers(Clock clock) {
        this.clock = clock;
    }

    /**
     * Notes a lost link.
     *
     * @param label empty if the node never sent one
     * @param address at which it could be dialled
     */
    public void lost(NodeId node, String label, Optional<String> address, String why) {
        kept.remove(node);
        if (!node.slot().equals(NodeId.AGENT) && why.endsWith(Links.NODE_CLOSES)) {
            return;
        }
        if (kept.size() == KEPT_MAX) {
            kept.remove(kept.keySet().iterator().next());
        }
        kept.put(node, new ClusterStatus.Away(node, label, address.orElse(""), clock.epochMillis(), why));
    }

    public void returned(NodeId node) {
        kept.remove(node);
    }

    /** What is known of a node that is away. */
    public Optional<ClusterStatus.Away> of(NodeId node) {
        return Optional.ofNullable(kept.get(node));
    }

    /** The nodes that are away, the newest last. */
    public List<ClusterStatus.Away> list() {
        long now = clock.epochMillis();
        kept.values()
                .removeIf(away ->
                        !away.id().slot().equals(NodeId.AGENT) && now - away.sinceMillis() > OTHERS_KEPT_MILLIS);
        return List.copyOf(kept.values());
    }
}
