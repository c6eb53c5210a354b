package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jgrapht.Graph;
import org.jgrapht.alg.tour.GreedyHeuristicTSP;
import org.jgrapht.alg.tour.TwoOptHeuristicTSP;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleWeightedGraph;

/**
 * Orders ranks in a ring so that its most expensive hop is as cheap as possible (the bottleneck travelling salesman problem). A pipelined
 * ring runs at the speed of its worst hop. So the sum of hops, which the usual tours minimise, only breaks ties.
 *
 * <p>For up to {@value ExactRing#WORLD_MAX} ranks the result is the best of all rings. The problem is NP-hard, so for more ranks it is the
 * best of three starts that {@link RingSearch} improved: rank order, JGraphT's two-opt tour, and a walk to the nearest rank that is left.
 * The result depends on the costs alone.
 */
public final class RingPlanner {
    /** Steps of search for each start, and for the best of them at the end; fewer if only the number of its worst hops can improve. */
    private static final long STEPS_EACH = 8_000_000;

    /** For more ranks, a tour over all pairs would take longer than all the rest. */
    private static final int TOUR_WORLD_MAX = 256;

    private RingPlanner() {}

    /**
     * The ring order of all ranks, starting with 0. Rates count if there are any, else round-trip times; equal choices follow rank order. It
     * uses a pair without a working link only if it finds no other ring.
     */
    public static List<Integer> order(LinkMatrix links) {
        return order(links, new Work(0));
    }

    static List<Integer> order(LinkMatrix links, Work work) {
        return order(HopCost.among(links), work);
    }

    /**
     * A ring over ranks 0 to n-1 that starts with 0.
     *
     * @param costs of each hop from row to column, 0 to {@link HopCost#FORBIDDEN}; square, need not be symmetric
     */
    static List<Integer> order(long[][] costs, Work work) {
        List<Integer> byRank = IntStream.range(0, costs.length).boxed().toList();
        if (costs.length <= 2 || RingBound.distinct(costs).length == 1) {
            return byRank;
        }
        return costs.length <= ExactRing.WORLD_MAX ? new ExactRing(costs).best() : approximate(costs, byRank, work);
    }

    private static List<Integer> approximate(long[][] costs, List<Integer> byRank, Work work) {
        List<List<Integer>> starts = new ArrayList<>(List.of(byRank, nearest(costs)));
        if (costs.length <= TOUR_WORLD_MAX) {
            List<Integer> tour = tour(costs);
            starts.add(tour);
            starts.add(fromZero(tour.reversed()));
        }
        List<Integer> best = byRank;
        for (List<Integer> start : starts) {
            work.allow(STEPS_EACH);
            best = better(costs, best, new RingSearch(costs, start, work).descend());
        }
        RingPrice price = RingPrice.of(costs, best);
        boolean isNarrow = price.worst() > RingBound.atLeast(costs);
        if (!isNarrow && price.worstHops() == 1) {
            return best;
        }
        work.allow(isNarrow ? STEPS_EACH : STEPS_EACH / 4);
        return better(costs, best, new RingSearch(costs, best, work).escape());
    }

    private static List<Integer> better(long[][] costs, List<Integer> best, List<Integer> other) {
        return RingPrice.of(costs, other).compareTo(RingPrice.of(costs, best)) < 0 ? other : best;
    }

    private static List<Integer> nearest(long[][] costs) {
        var ring = new ArrayList<Integer>(List.of(0));
        var used = new boolean[costs.length];
        used[0] = true;
        while (ring.size() < costs.length) {
            long[] from = costs[ring.getLast()];
            int next = -1;
            for (int to = 0; to < costs.length; to++) {
                if (!used[to] && (next < 0 || from[to] < from[next])) {
                    next = to;
                }
            }
            used[next] = true;
            ring.add(next);
        }
        return ring;
    }

    /** JGraphT needs one weight for both directions: the higher one. */
    private static List<Integer> tour(long[][] costs) {
        Graph<Integer, DefaultWeightedEdge> graph = new SimpleWeightedGraph<>(DefaultWeightedEdge.class);
        for (int i = 0; i < costs.length; i++) {
            graph.addVertex(i);
            for (int j = 0; j < i; j++) {
                graph.setEdgeWeight(graph.addEdge(i, j), (double) Math.max(costs[i][j], costs[j][i]));
            }
        }
        var twoOpt = new TwoOptHeuristicTSP<Integer, DefaultWeightedEdge>(1, new GreedyHeuristicTSP<>());
        List<Integer> closed = twoOpt.getTour(graph).getVertexList();
        return fromZero(closed.subList(0, closed.size() - 1));
    }

    private static List<Integer> fromZero(List<Integer> ring) {
        var turned = new ArrayList<>(ring);
        Collections.rotate(turned, -ring.indexOf(0));
        return List.copyOf(turned);
    }
}
