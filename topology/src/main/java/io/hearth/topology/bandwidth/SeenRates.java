package io.hearth.topology.bandwidth;

import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The rates of links to this node as its collectives show them. A rate counts only if the network held up most bytes of the flow: then it is
 * the rate of the link at that time. Other flows show nothing, because their sender or this node was the limit.
 *
 * <p>Flows share this node's port, and one thread receives them in turn. Two rules keep a shared port from looking like slow links:
 *
 * <ul>
 *   <li>If all flows together are about as fast as the fastest known link, the port is full. Then no rate is lowered.
 *   <li>Else the rate is that of all flows of about the same rate together ({@link SharedPort}).
 * </ul>
 *
 * <p>What the sender's port carried is not known here: {@link OutRates} is the second half, on the other node. A much lower rate counts only
 * when the next one confirms it ({@link RateEstimate}).
 *
 * <p>Confined to one thread, which calls {@link #look} about twice a second.
 */
public final class SeenRates {
    /** Bytes that must have waited for the network, in all flows together, before there are new rates. */
    static final long BYTES_MIN = 4L * 1024 * 1024;

    /** Time that they may take instead, on a slow link. */
    static final long NANOS_MIN = 2_000_000_000L;

    /** Such bytes of a flow whose rate counts. */
    static final long FLOW_BYTES_MIN = 256L * 1024;

    /** Looks after which bytes are forgotten that were too few, and a rate that was not seen again. */
    static final int LOOKS_MAX = 10;

    private SortedMap<NodeId, Flow> before = Collections.emptySortedMap();
    private final SortedMap<NodeId, Flow> open = new TreeMap<>(); // since the last rates
    private final SortedMap<NodeId, Seen> seen = new TreeMap<>();
    private int looks; // since the last rates

    /** Newest rate of a link, 0 before it is confirmed; an unconfirmed lower one; and the looks since. */
    private record Seen(long bytesPerSecond, long doubtful, int age) {}

    /**
     * Takes the newest counters.
     *
     * @param counters what arrived so far, by peer
     * @param known rates of the links to this node that count at present, in bytes per second; a link may be missing
     * @return rates that collectives showed in the last {@value #LOOKS_MAX} looks, by peer
     */
    public SortedMap<NodeId, Long> look(SortedMap<NodeId, Flow> counters, Map<NodeId, Long> known) {
        counters.forEach(
                (peer, flow) -> open.merge(peer, flow.since(before.getOrDefault(peer, Flow.NONE)), Flow::plus));
        before = Collections.unmodifiableSortedMap(new TreeMap<>(counters));
        seen.replaceAll((_, rate) -> new Seen(rate.bytesPerSecond, rate.doubtful, rate.age + 1));
        seen.values().removeIf(rate -> rate.age > LOOKS_MAX);
        looks++;
        Flow all = open.values().stream().reduce(Flow.NONE, Flow::plus);
        if (all.wireBytes() >= BYTES_MIN || all.wireNanos() >= NANOS_MIN) {
            judge(known);
            begin();
        } else if (looks >= LOOKS_MAX) {
            begin();
        }
        var rates = new TreeMap<NodeId, Long>();
        seen.forEach((peer, rate) -> {
            if (rate.bytesPerSecond > 0) {
                rates.put(peer, rate.bytesPerSecond);
            }
        });
        return rates;
    }

    /** Whether a rate that collectives showed is so much higher than the known one that it replaces it. */
    public static boolean raises(long seen, long known) {
        return SharedPort.raises(seen, known);
    }

    private void begin() {
        open.clear();
        looks = 0;
    }

    private void judge(Map<NodeId, Long> known) {
        Flow all = open.values().stream().reduce(Flow.NONE, Flow::plus);
        double together = (double) all.bytes() * 1e9 / (double) Math.max(1, all.wireNanos());
        boolean isFull = SharedPort.isFull(together, known.values());
        var rates = new TreeMap<NodeId, Long>();
        open.forEach((peer, flow) -> {
            if (flow.wireBytes() >= FLOW_BYTES_MIN) {
                rates.put(peer, flow.wireBytesPerSecond());
            }
        });
        open.forEach((peer, flow) -> {
            if (flow.wireBytes() >= FLOW_BYTES_MIN && flow.wireBytes() >= flow.bytes() / 2) {
                long rate = SharedPort.together(flow.wireBytesPerSecond(), rates.values());
                rates.forEach((other, its) -> {
                    if (SharedPort.areAlike(flow.wireBytesPerSecond(), its)) {
                        long knownRate = known.getOrDefault(other, 0L);
                        if (isFull && !SharedPort.raises(its, knownRate)) {
                            seen.remove(other); // with a lower rate of before, which is outdated
                        } else {
                            saw(other, rate, knownRate);
                        }
                    }
                });
            }
        });
    }

    private void saw(NodeId peer, long rate, long knownRate) {
        Seen former = seen.getOrDefault(peer, new Seen(0, 0, 1));
        if (former.age == 0) {
            return; // a flow that is alike gave it already
        }
        RateEstimate next = new RateEstimate(knownRate, former.doubtful).with(rate);
        seen.put(
                peer,
                next.isDoubtful()
                        ? new Seen(former.bytesPerSecond, next.doubtful(), 0)
                        : new Seen(next.bytesPerSecond(), 0, 0));
    }
}
