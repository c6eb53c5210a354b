package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.Planner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans a group from the members' measurements.
 *
 * <p>A round trip uses a link both ways, so one end's measurement holds for both directions; if both ends measured, the slower time counts.
 * Of a rate that both ends report, the lower one counts. For a pair without a measurement there are two cases. If both members reported,
 * they have no working link, or one that is too new to be known: the plan avoids it. A member that enters has no report: its pairs count
 * with the median of all measured times, which is neutral.
 */
public final class GroupPlan {
    /** Larger groups only get a hop order: their weights and islands would make a view too long for its frame. */
    private static final int WORLD_MAX = 64;

    private GroupPlan() {}

    /**
     * The plan for these members.
     *
     * @param members by rank
     * @param reports of the members that reported
     */
    public static Plan of(List<NodeId> members, Map<NodeId, MeasuredLinks> reports) {
        Optional<LinkMatrix> links = links(members, reports);
        if (links.isEmpty()) {
            return Plan.NONE;
        }
        return carried(Planner.plan(links.get()).plan(), members.size());
    }

    /** The part of a plan for this number of ranks that a view carries. */
    public static Plan carried(Plan plan, int world) {
        return world <= WORLD_MAX ? plan : new Plan(plan.order(), List.of(), List.of(), plan.costs());
    }

    /** The plan if it is one for this number of ranks, else the plain one: a view may come from a member with a fault. */
    public static Plan fitting(Plan plan, int world) {
        return plan.world().orElse(world) == world ? plan : Plan.NONE;
    }

    /** The links among the members by their reports; empty if no report has a round trip. */
    public static Optional<LinkMatrix> links(List<NodeId> members, Map<NodeId, MeasuredLinks> reports) {
        int world = members.size();
        if (world < 2) {
            return Optional.empty();
        }
        List<Long> tags = members.stream().map(MeasuredLinks::tag).toList();
        List<MeasuredLinks> byRank = members.stream()
                .map(member -> reports.getOrDefault(member, MeasuredLinks.NONE))
                .toList();
        LinkMatrix.Builder matrix = LinkMatrix.builder(world);
        List<PeerId> machines = members.stream().map(NodeId::peer).distinct().toList();
        var known = new ArrayList<Long>();
        var open = new ArrayList<int[]>();
        for (int one = 0; one < world; one++) {
            matrix.machine(one, machines.indexOf(members.get(one).peer()));
            for (int other = 0; other < one; other++) {
                Optional<MeasuredLinks.Link> ahead = byRank.get(one).link(tags.get(other));
                Optional<MeasuredLinks.Link> back = byRank.get(other).link(tags.get(one));
                matrix.rate(one, other, lower(rateOut(ahead), rateIn(back)));
                matrix.rate(other, one, lower(rateOut(back), rateIn(ahead)));
                long nanos = Math.max(roundTrip(ahead), roundTrip(back));
                if (nanos > 0) {
                    known.add(nanos);
                    matrix.roundTrip(one, other, nanos).roundTrip(other, one, nanos);
                } else if (!reports.containsKey(members.get(one)) || !reports.containsKey(members.get(other))) {
                    open.add(new int[] {one, other});
                } else if (ahead.isEmpty() && back.isEmpty()) {
                    matrix.unreachable(one, other).unreachable(other, one);
                }
            }
        }
        if (known.isEmpty()) {
            return Optional.empty();
        }
        known.sort(null);
        long middle = known.get((known.size() - 1) / 2);
        open.forEach(pair -> matrix.roundTrip(pair[0], pair[1], middle).roundTrip(pair[1], pair[0], middle));
        return Optional.of(matrix.build());
    }

    private static long roundTrip(Optional<MeasuredLinks.Link> link) {
        return link.map(MeasuredLinks.Link::roundTripNanos).orElse(0L);
    }

    private static long rateOut(Optional<MeasuredLinks.Link> link) {
        return link.map(MeasuredLinks.Link::outBytesPerSecond).orElse(0L);
    }

    private static long rateIn(Optional<MeasuredLinks.Link> link) {
        return link.map(MeasuredLinks.Link::inBytesPerSecond).orElse(0L);
    }

    /** The lower of two rates; 0 means unknown. */
    private static long lower(long one, long other) {
        return one == 0 ? other : other == 0 ? one : Math.min(one, other);
    }

    /** The members in the hop order of a plan. */
    static List<NodeId> ring(List<NodeId> members, Plan plan) {
        return plan.order().isEmpty()
                ? members
                : plan.order().stream().map(members::get).toList();
    }
}
