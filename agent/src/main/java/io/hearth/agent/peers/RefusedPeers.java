package io.hearth.agent.peers;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rejected connections with their reasons, for {@code wait} and {@code status}. Owner thread only. */
public final class RefusedPeers {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedPeers.class);
    private static final int KEPT_MAX = 16;

    private final Map<String, ClusterStatus.Refused> kept = new LinkedHashMap<>();

    /** Adds a rejection. Returns whether people should see it. */
    public boolean note(NodeEvent.Refused refused) {
        if (!refused.refusal().tellsOfPeer()) {
            return false;
        }
        // Strangers dial from a new port each time: the host and the cause make the entry.
        String host = refused.address().getAddress().getHostAddress();
        String key = host + " " + refused.refusal();
        ClusterStatus.Refused known = kept.remove(key);
        String who = refused.peer().map(PeerId::shortText).orElse("");
        if (known == null) {
            LOG.warn("not admitted: address={} peer={} why={}", host, who.isEmpty() ? "unknown" : who, refused.why());
            if (kept.size() == KEPT_MAX) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        kept.put(key, new ClusterStatus.Refused(host, who, refused.why(), known == null ? 1 : known.count() + 1));
        return true;
    }

    public List<ClusterStatus.Refused> list() {
        return new ArrayList<>(kept.values());
    }
}
