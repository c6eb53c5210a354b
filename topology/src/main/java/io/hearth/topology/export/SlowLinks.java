package io.hearth.topology.export;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The links that carry much less than they did: an immutable value. A link is slow from less than half of its highest rate on, until it has
 * three quarters of it again. After half an hour the lower rate is the usual one. Between two nodes of one machine no link is slow: such a
 * rate shows how busy its processors are, and no cable.
 *
 * @param rates by sender, then by receiver
 */
public record SlowLinks(SortedMap<NodeId, SortedMap<NodeId, Rate>> rates) {
    /** Before the first topology. */
    public static final SlowLinks NONE = new SlowLinks(Collections.emptySortedMap());

    /** Time after which a lower rate is the usual one, in nanoseconds. */
    static final long USUAL_NANOS = 1_800_000_000_000L;

    public SlowLinks {
        rates = Collections.unmodifiableSortedMap(new TreeMap<>(rates));
    }

    /**
     * The rates of a link.
     *
     * @param best highest rate since the link last was well, in bytes per second
     * @param now present rate
     * @param slow whether the link is slow
     * @param sinceNanos monotonic time at which it became so
     */
    public record Rate(long best, long now, boolean slow, long sinceNanos) {
        private static Rate first(long rate, long nowNanos) {
            return new Rate(rate, rate, false, nowNanos);
        }

        private Rate with(long rate, long nowNanos) {
            if (slow && nowNanos - sinceNanos >= USUAL_NANOS) {
                return first(rate, nowNanos);
            }
            boolean isSlow = slow ? rate < best - best / 4 : rate < best / 2;
            return new Rate(Math.max(best, rate), rate, isSlow, isSlow == slow ? sinceNanos : nowNanos);
        }
    }

    /** With the rates of a newer topology; links that are not in it are forgotten. */
    public SlowLinks with(ClusterTopology topology, long nowNanos) {
        var next = new TreeMap<NodeId, SortedMap<NodeId, Rate>>();
        for (ConnectionProfile link : topology.links()) {
            if (link.bytesPerSecond().isPresent() && link.kind() != InterfaceClass.LOOPBACK) {
                long rate = link.bytesPerSecond().getAsLong();
                Optional<Rate> former = rate(link.from(), link.to());
                next.computeIfAbsent(link.from(), _ -> new TreeMap<>())
                        .put(
                                link.to(),
                                former.isPresent() ? former.get().with(rate, nowNanos) : Rate.first(rate, nowNanos));
            }
        }
        return new SlowLinks(next);
    }

    private Optional<Rate> rate(NodeId from, NodeId to) {
        return Optional.ofNullable(
                rates.getOrDefault(from, Collections.emptySortedMap()).get(to));
    }

    /** The slow links, by sender and receiver, with the names that the nodes have in this topology. */
    public List<SlowLink> list(ClusterTopology topology) {
        Map<NodeId, String> names = NodeNames.of(topology);
        var slow = new ArrayList<SlowLink>();
        rates.forEach((from, byReceiver) -> byReceiver.forEach((to, rate) -> {
            if (rate.slow) {
                slow.add(new SlowLink(
                        from,
                        to,
                        names.getOrDefault(from, from.shortText()) + " -> " + names.getOrDefault(to, to.shortText()),
                        rate.now,
                        rate.best));
            }
        }));
        return slow;
    }

    /** Whether a link from one node to the other was slow here and is not slow in {@code next}, though it is known there. */
    boolean recovers(SlowLinks next, NodeId from, NodeId to) {
        return rate(from, to).filter(Rate::slow).isPresent()
                && next.rate(from, to).filter(rate -> !rate.slow).isPresent();
    }

    /** What changed since an earlier value, one line for each link that became slow or recovered. */
    public List<String> news(SlowLinks before, ClusterTopology topology) {
        var lines = new ArrayList<String>();
        list(topology).stream()
                .filter(link ->
                        before.rate(link.from(), link.to()).filter(Rate::slow).isEmpty())
                .forEach(link -> lines.add("a link became slow: " + link.text()));
        before.list(topology).stream()
                .filter(link -> before.recovers(this, link.from(), link.to()))
                .forEach(link -> lines.add("a link recovered: " + link.names() + ", "
                        + Facts.megabits(
                                rate(link.from(), link.to()).map(Rate::now).orElse(0L))
                        + " Mbit/s"));
        return lines;
    }
}
