package io.hearth.topology.bandwidth;

import io.hearth.identity.NodeId;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rates of links from this node, from what the receivers saw ({@link SeenRates}). Flows to several receivers share this node's port, and
 * only this node can put them together: those of about the same rate count as one ({@link SharedPort}).
 *
 * <p>TCP may also share a full port unequally. So while all flows together are about as fast as the fastest known link, no rate is lowered,
 * but that of a receiver far below the fastest one.
 *
 * <p>The receivers' reports come at different times. So a rate counts only after it was the same for {@value #LOOKS_MIN} looks.
 *
 * <p>Confined to one thread, which calls {@link #look} about twice a second.
 */
public final class OutRates {
    /** Looks for which a rate must stay about the same. */
    static final int LOOKS_MIN = 3;

    /** A lower rate within this part of the known one is no news. */
    private static final int NOISE = 8;

    /** In a full port, a link is slow if its rate is so many times below the fastest flow. */
    private static final int FAR_BELOW = 4;

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
        double all = seen.values().stream().mapToDouble(Long::doubleValue).sum();
        long fastest = seen.values().stream().mapToLong(Long::longValue).max().orElse(0);
        boolean isFull = SharedPort.isFull(all, known.values());
        seen.forEach((peer, rate) -> {
            long together = SharedPort.together(rate, seen.values());
            Steady former = steady.getOrDefault(peer, new Steady(together, 0));
            boolean isSame = isNear(together, former.bytesPerSecond, STEADY);
            int looks = isSame ? Math.min(LOOKS_MIN, former.looks + 1) : 1;
            now.put(peer, new Steady(isSame ? former.bytesPerSecond : together, looks));
            long knownRate = known.getOrDefault(peer, 0L);
            boolean lowers = (!isFull || rate < fastest / FAR_BELOW)
                    && together < knownRate
                    && !isNear(together, knownRate, NOISE);
            if (looks == LOOKS_MIN && (lowers || SharedPort.raises(rate, knownRate))) {
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
