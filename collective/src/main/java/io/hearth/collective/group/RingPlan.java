package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Plans the hop order of the ring from the members' measurements.
 *
 * <p>A round trip uses a link both ways, so one end's measurement holds for both directions; if both ends measured, the slower time counts.
 * For a pair without a measurement there are two cases. If both members reported, they have no working link, or one that is too new to be
 * known: the ring avoids it. A member that enters has no report: its pairs count with the median of all measured times, which is neutral.
 */
public final class RingPlan {
    private RingPlan() {}

    private record Pair(NodeId one, NodeId other, long nanos) {}

    /**
     * The hop order as ranks, starting with 0.
     *
     * @param members by rank
     * @param reports of the members that reported
     * @return a permutation of all ranks; empty if rank order is as good as any
     */
    static List<Integer> order(List<NodeId> members, Map<NodeId, RoundTrips> reports) {
        List<Pair> measured = members.size() <= 2 ? List.of() : measured(members, reports);
        if (measured.isEmpty()) {
            return List.of();
        }
        List<NodeId> ring = ClusterTopology.of(members, links(measured)).ringOrder(members);
        return ring.equals(members)
                ? List.of()
                : ring.stream().map(members::indexOf).toList();
    }

    private static List<Pair> measured(List<NodeId> members, Map<NodeId, RoundTrips> reports) {
        List<Long> tags = members.stream().map(RoundTrips::tag).toList();
        List<RoundTrips> byRank = members.stream()
                .map(member -> reports.getOrDefault(member, RoundTrips.NONE))
                .toList();
        var known = new ArrayList<Pair>();
        var open = new ArrayList<Pair>();
        for (int one = 0; one < members.size(); one++) {
            for (int other = 0; other < one; other++) {
                long nanos = Math.max(
                        byRank.get(one).nanos(tags.get(other)).orElse(0),
                        byRank.get(other).nanos(tags.get(one)).orElse(0));
                var pair = new Pair(members.get(one), members.get(other), nanos);
                if (nanos > 0) {
                    known.add(pair);
                } else if (!reports.containsKey(pair.one()) || !reports.containsKey(pair.other())) {
                    open.add(pair);
                }
            }
        }
        if (!known.isEmpty()) {
            long middle = known.stream()
                    .mapToLong(Pair::nanos)
                    .sorted()
                    .skip((known.size() - 1) / 2)
                    .findFirst()
                    .orElseThrow();
            open.forEach(pair -> known.add(new Pair(pair.one(), pair.other(), middle)));
        }
        return known;
    }

    private static List<ConnectionProfile> links(List<Pair> measured) {
        var links = new ArrayList<ConnectionProfile>();
        for (Pair pair : measured) {
            links.add(ConnectionProfile.of(pair.one(), pair.other(), InterfaceClass.OTHER, pair.nanos(), ""));
            links.add(ConnectionProfile.of(pair.other(), pair.one(), InterfaceClass.OTHER, pair.nanos(), ""));
        }
        return links;
    }

    /** The members in the order of a plan; in rank order if the plan is no permutation of all ranks. */
    public static List<NodeId> ring(List<NodeId> members, List<Integer> order) {
        List<Integer> ranks = IntStream.range(0, members.size()).boxed().toList();
        return order.stream().sorted().toList().equals(ranks)
                ? order.stream().map(members::get).toList()
                : members;
    }
}
