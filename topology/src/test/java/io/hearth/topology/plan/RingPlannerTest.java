package io.hearth.topology.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class RingPlannerTest {
    /** Compares with every ring of every size up to seven, with few distinct costs, for many ties, and with many. */
    @Test
    void theSearchFindsTheFirstOfTheBestRings() {
        for (long seed = 0; seed < 300; seed++) {
            var random = new SplittableRandom(seed);
            long[][] costs = costs(1 + random.nextInt(7), random.nextBoolean() ? 4 : 1_000_000, random);
            assertEquals(bruteForce(costs), RingPlanner.order(costs, new Work(0)), "seed " + seed);
        }
    }

    @Test
    void equalLinksFollowRankOrderAtAnySize() {
        for (int n : List.of(0, 1, 2, 3, 5, 9, 10, 33)) {
            var costs = new long[n][n];
            for (long[] row : costs) {
                Arrays.fill(row, 7);
            }
            assertEquals(IntStream.range(0, n).boxed().toList(), RingPlanner.order(costs, new Work(0)));
        }
    }

    @Test
    void theSlowPairNeverNeighboursWhileAnotherRingExists() {
        var costs = new long[4][4];
        costs[0][1] = 100;
        costs[1][0] = 100;
        assertEquals(List.of(0, 2, 1, 3), RingPlanner.order(costs, new Work(0)));
    }

    @Test
    void hopsHaveADirection() {
        long[][] costs = {{0, 9, 1}, {1, 0, 9}, {9, 1, 0}};
        assertEquals(List.of(0, 2, 1), RingPlanner.order(costs, new Work(0)));
    }

    @Test
    void unknownLinksAreUsedOnlyWhenThereIsNoOther() {
        long u = HopCost.UNKNOWN;
        long[][] costs = {{0, u, 5, 5}, {u, 0, 5, 5}, {5, 5, 0, u}, {5, 5, u, 0}};
        assertEquals(List.of(0, 2, 1, 3), RingPlanner.order(costs, new Work(0)));
    }

    /**
     * A ring of cheap hops is hidden among expensive ones. With too many nodes for the exact search, the heuristic still finds a ring as
     * good.
     */
    @Test
    void theHeuristicFindsAHiddenRing() {
        for (int n : List.of(12, 16, 20, 40)) {
            for (long seed = 0; seed < 20; seed++) {
                var random = new SplittableRandom(seed);
                long[][] costs = costs(n, 1_000, random);
                for (long[] row : costs) {
                    for (int j = 0; j < n; j++) {
                        row[j] += 1_000;
                    }
                }
                List<Integer> hidden = shuffled(n, random);
                for (int i = 0; i < n; i++) {
                    int from = hidden.get(i);
                    int to = hidden.get((i + 1) % n);
                    costs[from][to] = 1;
                    costs[to][from] = 1;
                }
                List<Integer> found = RingPlanner.order(costs, new Work(0));
                assertEquals(1, RingPrice.of(costs, found).worst(), "n " + n + ", seed " + seed);
            }
        }
    }

    @Test
    void theHeuristicIsAPermutationNoWorseThanRankOrderAndTheSameEachTime() {
        for (int n : List.of(17, 23, 64)) {
            long[][] costs = costs(n, 1_000, new SplittableRandom(n));
            List<Integer> ring = RingPlanner.order(costs, new Work(0));
            List<Integer> byRank = IntStream.range(0, n).boxed().toList();
            assertEquals(byRank, ring.stream().sorted().toList());
            assertEquals(0, ring.getFirst());
            assertTrue(RingPrice.of(costs, ring).compareTo(RingPrice.of(costs, byRank)) <= 0);
            assertEquals(ring, RingPlanner.order(costs, new Work(0)));
        }
    }

    /** Hops that are expensive in one direction only, which a tour over undirected weights cannot see. */
    @Test
    void theHeuristicTurnsTheRingToTheCheapDirection() {
        int n = 20;
        for (long seed = 0; seed < 10; seed++) {
            List<Integer> heights = shuffled(n, new SplittableRandom(seed));
            var costs = new long[n][n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    costs[i][j] = heights.get(i) < heights.get(j) ? 1 : 50;
                }
            }
            RingPrice price = RingPrice.of(costs, RingPlanner.order(costs, new Work(0)));
            assertTrue(price.worstHops() <= 2, price.worstHops() + " dear hops where one is enough, seed " + seed);
        }
    }

    /** A change that looks better is better, also where each hop has another cost in the opposite direction. */
    @Test
    void eachDescentImproves() {
        for (long seed = 0; seed < 300; seed++) {
            var random = new SplittableRandom(seed);
            int n = 5 + random.nextInt(20);
            long[][] costs = costs(n, seed % 2 == 0 ? 6 : 1_000, random);
            List<Integer> start = IntStream.range(0, n).boxed().toList();
            for (long steps : new long[] {400, 1_500, 6_000, 20_000_000}) {
                var work = new Work(steps);
                List<Integer> end = new RingSearch(costs, start, work).descend();
                assertTrue(work.steps() < 1_000_000, "it goes in circles, seed " + seed);
                RingPrice price = RingPrice.of(costs, end);
                assertTrue(price.compareTo(RingPrice.of(costs, start)) <= 0, "seed " + seed + ", steps " + steps);
                start = end;
            }
        }
    }

    /** Clusters of fast links joined by slow ones, such as two rooms: the ring crosses between them only twice. */
    @Test
    void theHeuristicCrossesBetweenRoomsTwice() {
        for (int n : List.of(16, 18, 40)) {
            var costs = new long[n][n];
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    costs[i][j] = i % 2 == j % 2 ? 1 : 50;
                }
            }
            RingPrice price = RingPrice.of(costs, RingPlanner.order(costs, new Work(0)));
            assertEquals(2, price.worstHops(), "n " + n);
        }
    }

    private static List<Integer> bruteForce(long[][] costs) {
        List<List<Integer>> rings = new ArrayList<>();
        permute(new ArrayList<>(costs.length == 0 ? List.of() : List.of(0)), costs.length, rings);
        List<Integer> best = rings.getFirst();
        for (List<Integer> ring : rings) {
            if (RingPrice.of(costs, ring).compareTo(RingPrice.of(costs, best)) < 0) {
                best = ring;
            }
        }
        return best;
    }

    private static void permute(List<Integer> prefix, int n, List<List<Integer>> rings) {
        if (prefix.size() == n) {
            rings.add(List.copyOf(prefix));
            return;
        }
        for (int next = 1; next < n; next++) {
            if (!prefix.contains(next)) {
                var longer = new ArrayList<>(prefix);
                longer.add(next);
                permute(longer, n, rings);
            }
        }
    }

    private static long[][] costs(int n, int bound, SplittableRandom random) {
        var costs = new long[n][n];
        for (long[] row : costs) {
            for (int j = 0; j < n; j++) {
                row[j] = random.nextInt(bound);
            }
        }
        return costs;
    }

    private static List<Integer> shuffled(int n, SplittableRandom random) {
        var all = new ArrayList<>(IntStream.range(0, n).boxed().toList());
        for (int i = n - 1; i > 0; i--) {
            Collections.swap(all, i, random.nextInt(i + 1));
        }
        return all;
    }
}
