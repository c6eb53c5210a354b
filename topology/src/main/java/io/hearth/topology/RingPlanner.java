package io.hearth.topology;

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
 * Orders nodes in a ring so that its most expensive hop is as cheap as possible (the bottleneck travelling salesman problem). A pipelined
 * ring runs at the speed of its worst hop. So the sum of hops, which the usual tours minimise, only breaks ties.
 *
 * <p>For up to {@value #EXACT_MAX} nodes it searches all rings. The problem is NP-hard, so for more nodes it takes the best of rank order
 * and JGraphT's two-opt tour, improved by reversals and moves until none helps or the budget is spent. The result depends on the costs
 * alone.
 */
final class RingPlanner {
    static final int EXACT_MAX = 9;

    /**
     * Budget of hops to evaluate, so that planning takes a fraction of a second at any size; a whole ring counts as many hops as it has
     * nodes.
     */
    private static final long HOPS_BUDGET = 20_000_000;

    private RingPlanner() {}

    /**
     * A ring over nodes 0 to n-1 that starts with 0.
     *
     * @param costs of each hop from row to column, at least 0; square, need not be symmetric
     */
    static List<Integer> order(long[][] costs) {
        List<Integer> byRank = IntStream.range(0, costs.length).boxed().toList();
        if (costs.length <= 2 || allEqual(costs)) {
            return byRank;
        }
        return costs.length <= EXACT_MAX ? new Search(costs).best() : approximate(costs, byRank);
    }

    private static boolean allEqual(long[][] costs) {
        for (int from = 0; from < costs.length; from++) {
            for (int to = 0; to < costs.length; to++) {
                if (from != to && costs[from][to] != costs[0][1]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The criteria of a ring, in order: its most expensive hop, the number of hops of that cost, the sum of all hops. */
    record Price(long worst, int worstHops, double sum) implements Comparable<Price> {
        static Price of(long[][] costs, List<Integer> ring) {
            long worst = 0;
            int worstHops = 0;
            double sum = 0;
            for (int i = 0; i < ring.size(); i++) {
                long cost = costs[ring.get(i)][ring.get((i + 1) % ring.size())];
                if (cost > worst) {
                    worst = cost;
                    worstHops = 0;
                }
                worstHops += cost == worst ? 1 : 0;
                sum += (double) cost;
            }
            return new Price(worst, worstHops, sum);
        }

        @Override
        public int compareTo(Price other) {
            int byWorst = Long.compare(worst, other.worst);
            int byHops = byWorst != 0 ? byWorst : Integer.compare(worstHops, other.worstHops);
            return byHops != 0 ? byHops : Double.compare(sum, other.sum);
        }
    }

    /** Visits rings in lexicographic order and keeps the first of the best, so that equal links give rank order. */
    private static final class Search {
        private final long[][] costs;
        private final List<Integer> ring = new ArrayList<>();
        private final boolean[] used;
        private List<Integer> best;
        private Price bestPrice;

        Search(long[][] costs) {
            this.costs = costs;
            this.used = new boolean[costs.length];
            this.best = IntStream.range(0, costs.length).boxed().toList();
            this.bestPrice = Price.of(costs, best);
        }

        List<Integer> best() {
            ring.add(0);
            used[0] = true;
            extend();
            return best;
        }

        private void extend() {
            if (ring.size() == costs.length) {
                Price price = Price.of(costs, ring);
                if (price.compareTo(bestPrice) < 0) {
                    best = List.copyOf(ring);
                    bestPrice = price;
                }
                return;
            }
            int last = ring.getLast();
            for (int next = 1; next < costs.length; next++) {
                if (!used[next] && costs[last][next] <= bestPrice.worst()) {
                    used[next] = true;
                    ring.add(next);
                    extend();
                    ring.removeLast();
                    used[next] = false;
                }
            }
        }
    }

    private static List<Integer> approximate(long[][] costs, List<Integer> byRank) {
        List<Integer> tour = tour(costs);
        List<Integer> best = byRank;
        for (List<Integer> start : List.of(byRank, tour, fromZero(tour.reversed()))) {
            List<Integer> improved = improve(costs, start);
            if (Price.of(costs, improved).compareTo(Price.of(costs, best)) < 0) {
                best = improved;
            }
        }
        return best;
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

    private static List<Integer> improve(long[][] costs, List<Integer> start) {
        List<Integer> best = start;
        Price bestPrice = Price.of(costs, best);
        long budget = HOPS_BUDGET / costs.length;
        boolean better = true;
        while (better && budget > 0) {
            better = false;
            for (int from = 1; from < costs.length - 1; from++) {
                for (int to = from + 1; to < costs.length; to++) {
                    for (List<Integer> next :
                            List.of(reversed(best, from, to), moved(best, from, to), moved(best, to, from))) {
                        budget--;
                        Price price = Price.of(costs, next);
                        if (price.compareTo(bestPrice) < 0) {
                            best = next;
                            bestPrice = price;
                            better = true;
                        }
                    }
                }
            }
        }
        return best;
    }

    private static List<Integer> reversed(List<Integer> ring, int from, int to) {
        var changed = new ArrayList<>(ring);
        Collections.reverse(changed.subList(from, to + 1));
        return changed;
    }

    private static List<Integer> moved(List<Integer> ring, int from, int to) {
        var changed = new ArrayList<>(ring);
        int node = changed.remove(/* index */ from);
        changed.add(to, node);
        return changed;
    }
}
