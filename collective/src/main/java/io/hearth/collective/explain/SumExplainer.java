package io.hearth.collective.explain;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.explain.SumExplanation.Basis;
import io.hearth.collective.explain.SumExplanation.Hop;
import io.hearth.collective.explain.SumExplanation.Pair;
import io.hearth.collective.explain.SumExplanation.Way;
import io.hearth.collective.group.GroupPlan;
import io.hearth.collective.group.MeasuredLinks;
import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.collective.schedule.Islands;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Candidate;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.Planned;
import io.hearth.topology.plan.Planner;
import io.hearth.topology.plan.Structure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Makes the decisions of a group again for one size: the plan from the known measurements, and the algorithm from the plan's costs. So it
 * states what the group would do if it planned now; a group keeps its former plan until another one saves a tenth.
 */
public final class SumExplainer {
    private final List<NodeId> members;
    private final long bytes;
    private final CollectiveConfig config;
    private final SortedMap<NodeId, LinkReport> reports;
    private final LinkMatrix links;
    private final boolean hasRoundTrips;
    private final Planned planned;
    private final ScheduleChoice choice;

    private SumExplainer(List<NodeId> members, ClusterTopology topology, long bytes, CollectiveConfig config) {
        this.members = members;
        this.bytes = bytes;
        this.config = config;
        this.reports = KnownReports.of(members, topology);
        SortedMap<NodeId, MeasuredLinks> measured = new TreeMap<>();
        reports.forEach((node, report) -> measured.put(node, MeasuredLinks.of(report)));
        Optional<LinkMatrix> known = GroupPlan.links(members, measured);
        this.hasRoundTrips = known.isPresent();
        this.links = known.orElseGet(() -> LinkMatrix.builder(members.size()).build());
        Planned made = Planner.plan(links);
        Plan plan = hasRoundTrips ? GroupPlan.carried(made.plan(), members.size()) : Plan.NONE;
        this.planned = new Planned(plan, made.candidates(), made.gaps());
        this.choice = config.choice(isOnOneMachine(), plan.costs());
    }

    /**
     * Explains an uncompressed all-reduce whose algorithm is chosen by the group.
     *
     * @param members by rank, distinct, 1 to {@link LinkMatrix#WORLD_MAX}
     * @param topology with the measurements that a node knows
     * @param bytes of the sum, 1 or more
     * @param config of the group
     */
    public static SumExplanation explain(
            List<NodeId> members, ClusterTopology topology, long bytes, CollectiveConfig config) {
        if (members.isEmpty() || bytes < 1) {
            throw new IllegalArgumentException(
                    "a sum needs a member and a byte, got " + members.size() + " members and " + bytes + " bytes");
        }
        return new SumExplainer(List.copyOf(members), topology, bytes, config).explanation();
    }

    private SumExplanation explanation() {
        Plan plan = planned.plan();
        boolean isInPlace = bytes >= config.inPlaceBytesMin();
        List<Way> ways = world() == 1 ? List.of() : ways(isInPlace);
        Optional<AllReduceAlgorithm> chosen = ways.stream()
                .filter(way -> way.nanos().isPresent())
                .findFirst()
                .map(way -> AllReduceAlgorithm.valueOf(way.algorithm().toUpperCase(Locale.ROOT)));
        List<Hop> hops =
                chosen.map(algorithm -> Hops.of(algorithm, plan, links)).orElse(List.of());
        List<Pair> unmeasured = pairs((from, to) -> links.reachable(from, to) && links.bytesPerSecond(from, to) == 0);
        return new SumExplanation(
                members,
                bytes,
                basis(),
                isInPlace,
                ways,
                plan,
                hops.subList(0, Math.min(hops.size(), SumExplanation.HOPS_MAX)),
                hops.size(),
                planned.gaps(),
                first(pairs(this::isOneWay)),
                first(unmeasured),
                unmeasured.size(),
                IntStream.range(0, world())
                        .filter(rank -> world() > 1 && !reports.containsKey(members.get(rank)))
                        .boxed()
                        .toList());
    }

    private int world() {
        return members.size();
    }

    private boolean isOnOneMachine() {
        return members.stream().map(NodeId::peer).distinct().count() == 1;
    }

    private Basis basis() {
        if (world() == 1) {
            return Basis.ALONE;
        }
        if (isOnOneMachine()) {
            return Basis.ONE_MACHINE;
        }
        if (!links.hasRates()) {
            return hasRoundTrips ? Basis.ROUND_TRIPS : Basis.NOTHING;
        }
        return links.isMeasured() ? Basis.MEASURED : Basis.PARTLY;
    }

    private List<Way> ways(boolean isInPlace) {
        Optional<Islands> islands = planned.plan().islands().isEmpty()
                ? Optional.empty()
                : Optional.of(new Islands(planned.plan().islands())).filter(Islands::isHierarchy);
        AllReduceAlgorithm chosen = isInPlace
                ? choice.inPlace(AllReduceStrategy.AUTO, world(), islands, bytes)
                : choice.allReduce(AllReduceStrategy.AUTO, world(), islands, bytes);
        Set<AllReduceAlgorithm> considered = considered(isInPlace, islands.isPresent());
        Map<AllReduceAlgorithm, OptionalLong> nanos = new EnumMap<>(AllReduceAlgorithm.class);
        for (AllReduceAlgorithm algorithm : AllReduceAlgorithm.values()) {
            nanos.put(algorithm, considered.contains(algorithm) ? nanos(algorithm, islands) : OptionalLong.empty());
        }
        List<AllReduceAlgorithm> shown = new ArrayList<>(List.of(AllReduceAlgorithm.values()));
        shown.removeIf(algorithm -> isInPlace && structure(algorithm).isEmpty());
        shown.sort(Comparator.comparing((AllReduceAlgorithm algorithm) -> algorithm != chosen)
                .thenComparingLong(algorithm -> time(nanos, algorithm)));
        return shown.stream()
                .map(algorithm -> new Way(
                        algorithm.name().toLowerCase(Locale.ROOT),
                        nanos.getOrDefault(algorithm, OptionalLong.empty()),
                        reason(algorithm, considered)))
                .toList();
    }

    private static long time(Map<AllReduceAlgorithm, OptionalLong> nanos, AllReduceAlgorithm algorithm) {
        return nanos.getOrDefault(algorithm, OptionalLong.empty()).orElse(Long.MAX_VALUE);
    }

    /** The algorithms among which {@link ScheduleChoice} chooses. */
    private Set<AllReduceAlgorithm> considered(boolean isInPlace, boolean hasIslands) {
        if (!isInPlace) {
            Set<AllReduceAlgorithm> all = EnumSet.allOf(AllReduceAlgorithm.class);
            if (!hasIslands) {
                all.remove(AllReduceAlgorithm.ISLANDS);
            }
            return all;
        }
        if (!choice.model().isMeasured()) {
            return EnumSet.of(hasIslands ? AllReduceAlgorithm.ISLANDS : AllReduceAlgorithm.RING);
        }
        return hasIslands
                ? EnumSet.of(AllReduceAlgorithm.RING, AllReduceAlgorithm.DIRECT, AllReduceAlgorithm.ISLANDS)
                : EnumSet.of(AllReduceAlgorithm.RING, AllReduceAlgorithm.DIRECT);
    }

    private OptionalLong nanos(AllReduceAlgorithm algorithm, Optional<Islands> islands) {
        double nanos = algorithm == AllReduceAlgorithm.ISLANDS
                ? choice.model().allReduceNanos(islands.orElseThrow(), bytes)
                : choice.model().allReduceNanos(algorithm, world(), bytes);
        return nanos < Long.MAX_VALUE ? OptionalLong.of(Math.round(nanos)) : OptionalLong.empty();
    }

    private boolean isPossible(Structure structure) {
        return candidate(structure).map(each -> each.route().isPossible()).orElse(true);
    }

    private Optional<Candidate> candidate(Structure structure) {
        return planned.candidates().stream()
                .filter(each -> each.structure() == structure)
                .findFirst();
    }

    private static Optional<Structure> structure(AllReduceAlgorithm algorithm) {
        return switch (algorithm) {
            case RING -> Optional.of(Structure.RING);
            case DIRECT -> Optional.of(Structure.DIRECT);
            case ISLANDS -> Optional.of(Structure.ISLANDS);
            case WHOLE_EXCHANGE, TREE, STAR -> Optional.empty();
        };
    }

    private String reason(AllReduceAlgorithm algorithm, Set<AllReduceAlgorithm> considered) {
        Optional<Structure> structure = structure(algorithm);
        boolean isPossible = structure.map(this::isPossible).orElse(true);
        if (isOnOneMachine()) {
            return considered.contains(algorithm) ? "the processor of one machine" : "not considered on one machine";
        }
        if (isPossible && !considered.contains(algorithm) && algorithm != AllReduceAlgorithm.ISLANDS) {
            return "not considered until links are measured";
        }
        return structure.flatMap(this::candidate).map(Candidate::reason).orElseGet(() -> small(algorithm));
    }

    /** An algorithm for small sums, whose choice knows no gaps. */
    private String small(AllReduceAlgorithm algorithm) {
        int others = world() - 1;
        String what = switch (algorithm) {
            case TREE -> "the whole buffer up and down a tree of " + levels() + (levels() == 1 ? " level" : " levels");
            case STAR -> "two rounds: one rank receives " + others + " x the buffer and sends it back";
            case WHOLE_EXCHANGE, RING, DIRECT, ISLANDS ->
                "one round: each rank sends the whole buffer to " + others + (others == 1 ? " other" : " others");
        };
        return what
                + Hops.of(algorithm, planned.plan(), links).stream()
                        .filter(hop -> !links.reachable(hop.from(), hop.to()))
                        .findFirst()
                        .map(hop -> "; rank " + hop.from() + " has no link to rank " + hop.to())
                        .orElse("");
    }

    private int levels() {
        return 32 - Integer.numberOfLeadingZeros(world() - 1);
    }

    /** A condition on one direction between two ranks. */
    private interface Direction {
        boolean test(int from, int to);
    }

    private List<Pair> pairs(Direction condition) {
        var found = new ArrayList<Pair>();
        for (int from = 0; from < world(); from++) {
            for (int to = 0; to < world(); to++) {
                if (from != to && condition.test(from, to)) {
                    found.add(new Pair(from, to));
                }
            }
        }
        return found;
    }

    private static List<Pair> first(List<Pair> pairs) {
        return pairs.subList(0, Math.min(pairs.size(), SumExplanation.PAIRS_MAX));
    }

    /** Whether a member reports a link to another one that reports links, and not this one. */
    private boolean isOneWay(int from, int to) {
        NodeId one = members.get(from);
        NodeId other = members.get(to);
        return reports.containsKey(one)
                && reports.containsKey(other)
                && reports.getOrDefault(one, LinkReport.NONE).links().containsKey(other)
                && !reports.getOrDefault(other, LinkReport.NONE).links().containsKey(one);
    }
}
