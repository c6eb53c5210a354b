package io.hearth.topology.bandwidth;

import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rates of links from this node, from what the receivers saw ({@link SeenRates}). Flows to several receivers share this node's port, and
 * only this node can put them together: those of about the same rate count as one ({@link SharedPort}).
 *
 * <p>The receivers' reports come at different times. So a rate counts only after it was the same for {@value #LOOKS_MIN} looks.
 *
 * <p>Confined to one thread, which calls {@link #look} about twice a second.
 */
public final class OutRates {
    /** Looks for which a rate must stay about the same. */
    static final int LOOKS_MIN = 3;

    /** A rate within this part of the known one is no news. */
    private static final int NOISE = 8;

    /** A rate within this part of the one before stays the same. */
    private static final int STEADY = 4;

    private SortedMap<NodeId, Steady> steady = new TreeMap<>();

    /** A rate and the looks for which it was about the same. */
    private record Steady(long bytesPerSecond, int looks) {}

    /**
     * Takes what the receivers see now.
     *
     * @param seen bytes per second from this node, by receiver; without those that see nothing
     * @param known rates to the peers that count at present; a link may be missing
     * @return rates that count from now on, because they differ from the known ones
     */
    public SortedMap<NodeId, Long> look(SortedMap<NodeId, Long> seen, Map<NodeId, Long> known) {
        var now = new TreeMap<NodeId, Steady>();
        var news = new TreeMap<NodeId, Long>();
        seen.forEach((peer, rate) -> {
            long together = SharedPort.together(rate, seen.values());
            Steady former = steady.getOrDefault(peer, new Steady(together, 0));
            boolean isSame = isNear(together, former.bytesPerSecond, STEADY);
            int looks = isSame ? Math.min(LOOKS_MIN, former.looks + 1) : 1;
            now.put(peer, new Steady(isSame ? former.bytesPerSecond : together, looks));
            if (looks == LOOKS_MIN && !isNear(together, known.getOrDefault(peer, 0L), NOISE)) {
                news.put(peer, together);
            }
        });
        steady = now;
        return news;
    }

    private static boolean isNear(long one, long other, int part) {
        return Math.abs(one - other) <= Math.max(one, other) / part;
    }
}
