package io.hearth.agent.peers;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.Clock;
import io.hearth.identity.PeerId;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rejected connections with their reasons, for {@code wait} and {@code status}. A rejection is forgotten when its machine is linked,
 * because then it has healed, and when it has not happened again for some minutes. Where the machine is not known, that of its host counts.
 * Owner thread only.
 */
public final class RefusedPeers {
    private static final Logger LOG = LoggerFactory.getLogger(RefusedPeers.class);
    private static final int KEPT_MAX = 16;

    /** Twice the longest pause between two dials of one address. */
    private static final long KEPT_NANOS = 10 * 60_000_000_000L;

    private final Clock clock;
    private final Map<Key, Kept> kept = new LinkedHashMap<>();

    private record Key(String host, Object cause) {}

    private record Kept(ClusterStatus.Refused refused, Optional<PeerId> peer, long nanos) {}

    public RefusedPeers(Clock clock) {
        this.clock = clock;
    }

    /** Adds a rejection. Returns whether people should see it. */
    public boolean note(NodeEvent.Refused refused) {
        if (!refused.refusal().tellsOfPeer()) {
            return false;
        }
        // Strangers dial from a new port each time: the host and the cause make the entry.
        String host = refused.address().getAddress().getHostAddress();
        var key = new Key(host, refused.refusal());
        Kept known = kept.remove(key);
        String who = refused.peer().map(PeerId::shortText).orElse("");
        if (known == null) {
            LOG.warn("not admitted: address={} peer={} why={}", host, who.isEmpty() ? "unknown" : who, refused.why());
            if (kept.size() == KEPT_MAX) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        long count = known == null ? 1 : known.refused().count() + 1;
        var entry = new ClusterStatus.Refused(host, who, refused.why(), count);
        kept.put(key, new Kept(entry, refused.peer(), clock.nanoTime()));
        return true;
    }

    /** Forgets the rejections of a machine that is linked now. Others may share its host: processes, or machines behind one router. */
    public void admitted(PeerId machine, InetAddress host) {
        kept.entrySet()
                .removeIf(entry -> entry.getValue()
                        .peer()
                        .map(machine::equals)
                        .orElseGet(() -> entry.getKey().host().equals(host.getHostAddress())));
    }

    public List<ClusterStatus.Refused> list() {
        long now = clock.nanoTime();
        kept.values().removeIf(old -> now - old.nanos() > KEPT_NANOS);
        return kept.values().stream().map(Kept::refused).toList();
    }
}
