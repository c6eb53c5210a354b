package io.hearth.topology.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PlannerTest {
    private static final long LARGE = 64 << 20;

    private static double ringOverDirect(Plan plan, int world) {
        PlanCosts costs = plan.costs();
        return costs.nanos(Structure.RING, world, LARGE) / costs.nanos(Structure.DIRECT, world, LARGE);
    }

    private static void assertPicos(double expected, Route route) {
        assertPicos(expected, route, "picoseconds per byte");
    }

    private static void assertPicos(double expected, Route route, String why) {
        assertEquals(expected, (double) route.picosPerByte(), 2, why);
    }

    /** With n-1 ports of one rate and one of a tenth, a direct sum is 2(n-1)/n as fast as a ring. */
    @Test
    void oneSlowNodeOwnsNothingAndDirectBeatsTheRing() {
        for (int world : List.of(3, 4, 8)) {
            var ports = new int[world];
            Arrays.fill(ports, 10);
            ports[world - 1] = 1;
            Plan plan = Planner.plan(Nets.switched(ports).build()).plan();
            assertEquals(0, plan.weights().getLast());
            assertEquals(2.0 * (world - 1) / world, ringOverDirect(plan, world), 1e-3);
            assertEquals(Optional.of(Structure.DIRECT), plan.costs().fastest(world, LARGE));
        }
    }

    @Test
    void equalLinksNeedNoPlan() {
        for (int world : List.of(2, 3, 4, 8, 16, 17, 40)) {
            var ports = new int[world];
            Arrays.fill(ports, 10);
            Planned planned = Planner.plan(Nets.switched(ports).build());
            assertEquals(Plan.NONE, planned.plan().with(PlanCosts.UNKNOWN));
            assertEquals(1, ringOverDirect(planned.plan(), world), 1e-3);
            assertEquals(Optional.of(Structure.RING), planned.plan().costs().fastest(world, LARGE));
            assertEquals(List.of(), planned.gaps());
        }
    }

    /** Two sites of two hosts, 1 Gbit/s inside and 100 Mbit/s between: one leader of each site sends the buffer once over the cut. */
    @Test
    void twoSitesMeetThroughTheirLeaders() {
        LinkMatrix links =
                Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12).build();
        Planned planned = Planner.plan(links);
        Plan plan = planned.plan();
        assertEquals(List.of(0, 0, 2, 2), plan.islands());
        assertEquals(List.of(0, 2), plan.leaders());
        assertEquals(List.of(), plan.leaderWeights());
        double cut = 1_000_000 / 12.0;
        assertPicos(cut, plan.costs().islands());
        assertPicos(cut, plan.costs().ring());
        assertPicos(2 * cut, plan.costs().direct(), "each site sends the buffer twice over the cut");
        assertEquals(Optional.of(Structure.ISLANDS), plan.costs().fastest(4, LARGE));
    }

    /** Ranks that alternate between the sites: the ring crosses once in each direction. */
    @Test
    void aRingCrossesBetweenSitesOnce() {
        LinkMatrix links =
                Nets.pairs(6, (from, to) -> from % 2 == to % 2 ? 120 : 12).build();
        Plan plan = Planner.plan(links).plan();
        assertEquals(List.of(0, 1, 3, 5, 2, 4), plan.order());
        assertPicos(83_333, plan.costs().ring());
        assertEquals(List.of(0, 1, 0, 1, 0, 1), plan.islands());
    }

    /** Two machines of four ranks and two of one. Ranks of one machine share its port of 1 Gbit/s. */
    @Test
    void ranksOfOneMachineShareItsPort() {
        int[] machine = {7, 7, 7, 7, 9, 9, 9, 9, 3, 4};
        LinkMatrix.Builder links = Nets.pairs(10, (from, to) -> machine[from] == machine[to] ? 2_000 : 120);
        for (int rank = 0; rank < machine.length; rank++) {
            links.machine(rank, machine[rank]);
        }
        Plan plan = Planner.plan(links.build()).plan();
        assertEquals(List.of(0, 0, 0, 0, 4, 4, 4, 4, 8, 9), plan.islands());
        assertPicos(8_333, plan.costs().ring(), "one hop leaves each machine");
        double ports = 1.5 * 8_333; // four leaders with equal shares: 1 + 2/4
        assertPicos(ports, plan.costs().islands());
        double direct = (double) plan.costs().direct().picosPerByte();
        assertTrue(direct > 2 * ports, direct + " although four ranks share a port");
        assertEquals(Optional.of(Structure.ISLANDS), plan.costs().fastest(10, LARGE));
    }

    /** Four sites of two, each behind one line: what a direct sum sends to three sites passes the same line. */
    @Test
    void aSiteHasOneLineToAllOthers() {
        LinkMatrix links =
                Nets.pairs(8, (from, to) -> from / 2 == to / 2 ? 120 : 12).build();
        Plan plan = Planner.plan(links).plan();
        assertPicos(1.5 * 1_000_000 / 12, plan.costs().islands(), "1 + 2/4 over each line");
        assertPicos(3 * 1_000_000 / 12.0, plan.costs().direct(), "6/8 from each of two ranks, and 6 shares of 2/8");
        assertEquals(Optional.of(Structure.ISLANDS), plan.costs().fastest(8, LARGE));
    }

    @Test
    void theMemberOnTheCableLeadsItsIsland() {
        // ranks 0 and 3 have slow links to the other site, 1 and 4 the good ones
        LinkMatrix links = Nets.pairs(6, (from, to) -> from / 3 == to / 3 ? 120 : from % 3 == 1 && to % 3 == 1 ? 24 : 6)
                .build();
        Plan plan = Planner.plan(links).plan();
        assertEquals(List.of(1, 1, 1, 4, 4, 4), plan.islands());
        assertPicos(1_000_000 / 24.0, plan.costs().islands());
    }

    /** Each member has a good line to one member of the other site only. */
    @Test
    void leadersAreChosenTogether() {
        LinkMatrix links = Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : from + to == 3 ? 24 : 13)
                .build();
        Plan plan = Planner.plan(links).plan();
        assertEquals(3, plan.leaders().stream().mapToInt(Integer::intValue).sum());
        assertPicos(1_000_000 / 24.0, plan.costs().islands());
    }

    /** The hops between 0 and 1 are slower than the rest: by a tenth, which is noise, or by a fifth. */
    @Test
    void anEighthIsNoReasonToLeaveRankOrder() {
        for (int rate : List.of(90, 80)) {
            LinkMatrix links =
                    Nets.pairs(4, (from, to) -> from + to == 1 ? rate : 100).build();
            List<Integer> order = Planner.plan(links).plan().order();
            assertEquals(rate == 90 ? List.of() : List.of(0, 2, 1, 3), order);
        }
    }

    /** A round trip that is unknown may be a working link; a pair that reports none has none. */
    @Test
    void anUnknownLinkIsBetterThanNone() {
        LinkMatrix.Builder links = LinkMatrix.builder(3);
        links.unreachable(0, 1).roundTrip(1, 2, 400_000).roundTrip(2, 0, 400_000);
        Plan plan = Planner.plan(links.build()).plan();
        assertEquals(List.of(0, 2, 1), plan.order());
        assertTrue(plan.costs().ring().isPossible());
    }

    /** Three sites, one of them with a slow line: its leader owns less. */
    @Test
    void theLeaderBehindASlowLineOwnsLess() {
        int[] line = {24, 24, 18};
        LinkMatrix links = Nets.pairs(
                        6, (from, to) -> from / 2 == to / 2 ? 1_000 : Math.min(line[from / 2], line[to / 2]))
                .build();
        Plan plan = Planner.plan(links).plan();
        assertEquals(List.of(0, 0, 2, 2, 4, 4), plan.islands());
        assertEquals(1 / 11.0, plan.leaderWeights().get(2) / 65_535.0, 1e-4, "24 + 24 + 18 carry 3 + 1 buffers");
        assertPicos(4_000_000 / 66.0, plan.costs().islands());
    }

    @Test
    void aBrokenPairIsAvoidedAndNamed() {
        LinkMatrix links = Nets.switched(10, 10, 10, 10)
                .unreachable(0, 1)
                .unreachable(1, 0)
                .build();
        Planned planned = Planner.plan(links);
        assertEquals(List.of(0, 2, 1, 3), planned.plan().order());
        assertTrue(planned.plan().costs().ring().isMeasured());
        assertEquals(Route.NEVER, planned.plan().costs().direct());
        assertEquals(List.of("ranks 0 and 1 cannot reach each other"), texts(planned));
        assertTrue(reason(planned, Structure.DIRECT).contains("ranks 0 and 1 cannot reach"));
    }

    @Test
    void aRingRunsAgainstAOneWayPair() {
        LinkMatrix links = Nets.switched(10, 10, 10).unreachable(0, 1).build();
        Planned planned = Planner.plan(links);
        assertEquals(List.of(0, 2, 1), planned.plan().order());
        assertEquals(List.of("rank 0 cannot reach rank 1"), texts(planned));
        LinkMatrix back = Nets.switched(10, 10, 10).unreachable(2, 1).build();
        assertEquals(List.of("rank 2 cannot reach rank 1"), texts(Planner.plan(back)));
    }

    /** A star without links between its leaves has no ring and no direct sum. */
    @Test
    void whatIsImpossibleIsSaid() {
        LinkMatrix.Builder links = Nets.switched(10, 10, 10, 10);
        for (int one = 1; one < 4; one++) {
            for (int other = 1; other < 4; other++) {
                links.unreachable(one, other);
            }
        }
        Planned star = Planner.plan(links.build());
        assertEquals(Route.NEVER, star.plan().costs().ring());
        assertEquals(Route.NEVER, star.plan().costs().direct());
        assertEquals(Route.NEVER, star.plan().costs().islands());
        assertTrue(star.plan().costs().pair().isMeasured());
        assertEquals(Optional.empty(), star.plan().costs().fastest(4, LARGE));
        assertEquals(3, star.gaps().size());
        for (int other = 1; other < 4; other++) {
            links.unreachable(0, other).unreachable(other, 0);
        }
        Planned nothing = Planner.plan(links.build());
        assertEquals(List.of(), nothing.plan().order());
        assertEquals(Route.NEVER, nothing.plan().costs().pair());
        assertEquals(6, nothing.gaps().size());
    }

    /** Islands need links from members to leaders and between leaders only. */
    @Test
    void leadersReachWhatOthersCannot() {
        LinkMatrix.Builder links = Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12);
        for (int[] pair : new int[][] {{0, 2}, {0, 3}, {1, 3}}) {
            links.unreachable(pair[0], pair[1]).unreachable(pair[1], pair[0]);
        }
        Plan plan = Planner.plan(links.build()).plan();
        assertEquals(List.of(1, 1, 2, 2), plan.islands());
        assertEquals(Route.NEVER, plan.costs().direct());
        assertEquals(Route.NEVER, plan.costs().ring());
        assertEquals(Optional.of(Structure.ISLANDS), plan.costs().fastest(4, LARGE));
    }

    @Test
    void absurdRatesCountAsUnknownAndUnknownOnesAsTheMedian() {
        LinkMatrix links = Nets.switched(10, 10, 10, 10)
                .rate(0, 1, Long.MAX_VALUE)
                .rate(1, 0, 0)
                .rate(2, 3, -5)
                .rate(3, 2, Long.MIN_VALUE)
                .roundTrip(0, 1, -1)
                .roundTrip(1, 0, Long.MAX_VALUE)
                .build();
        assertFalse(links.isMeasured());
        for (int[] pair : new int[][] {{0, 1}, {1, 0}, {2, 3}, {3, 2}}) {
            assertEquals(0, links.bytesPerSecond(pair[0], pair[1]));
            assertEquals(10 * Nets.UNIT, links.rate(pair[0], pair[1]));
        }
        assertEquals(0, links.roundTripNanos(0, 1));
        assertEquals(0, links.roundTripNanos(1, 0));
        LinkMatrix equal = Nets.switched(10, 10, 10, 10).build();
        assertEquals(Planner.plan(equal).plan(), Planner.plan(links).plan());
    }

    @Test
    void withoutRatesRoundTripsDecideTheRing() {
        LinkMatrix.Builder links = LinkMatrix.builder(4);
        for (int from = 0; from < 4; from++) {
            for (int to = 0; to < 4; to++) {
                boolean isSlow = from == 0 && to == 1; // 1 to 0 is not measured
                links.roundTrip(from, to, isSlow ? 20_000_000 : from == 1 && to == 0 ? 0 : 400_000);
            }
        }
        Plan plan = Planner.plan(links.build()).plan();
        assertEquals(List.of(0, 2, 1, 3), plan.order());
        assertEquals(new Route(200_000, 0), plan.costs().ring());
        assertEquals(new Route(10_000_000, 0), plan.costs().direct());
        assertEquals(new Route(10_000_000, 0), plan.costs().pair());
        assertEquals(Route.UNKNOWN, plan.costs().islands());
        assertEquals(Optional.empty(), plan.costs().fastest(4, LARGE));
        assertTrue(Double.isNaN(plan.costs().nanos(Structure.RING, 4, LARGE)));
        assertEquals(Plan.NONE, Planner.plan(LinkMatrix.builder(5).build()).plan(), "nothing is known");
    }

    @Test
    void oneEndOfALinkKnowsItsLatency() {
        Plan plan = Planner.plan(
                        Nets.switched(10, 10, 10).roundTrip(1, 0, 800_000).build())
                .plan();
        assertEquals(400_000, plan.costs().ring().alphaNanos());
    }

    /** Without rates, a ring visits each machine once. */
    @Test
    void ranksOfOneMachineAreNeighbours() {
        LinkMatrix.Builder links = LinkMatrix.builder(6);
        for (int from = 0; from < 6; from++) {
            links.machine(from, from % 2);
            for (int to = 0; to < 6; to++) {
                links.roundTrip(from, to, 50_000);
            }
        }
        assertEquals(
                List.of(0, 1, 3, 5, 2, 4), Planner.plan(links.build()).plan().order());
    }

    @Test
    void oneRankHasNothingToPlan() {
        LinkMatrix alone = LinkMatrix.builder(1).build();
        assertTrue(alone.isMeasured());
        assertEquals(new Planned(Plan.NONE, List.of(), List.of()), Planner.plan(alone));
        assertEquals(Plan.NONE, Planner.next(Plan.NONE, alone, LARGE));
    }

    @Test
    void reasonsHaveFigures() {
        Planned planned = Planner.plan(Nets.switched(120, 120, 120, 12).build());
        assertEquals(
                List.of(Structure.values()),
                planned.candidates().stream().map(Candidate::structure).toList());
        assertEquals("rank 2 sends to rank 3 at 12.0 MB/s, the slowest hop", reason(planned, Structure.RING));
        assertTrue(reason(planned, Structure.DIRECT).endsWith("ranks [3] own nothing"));
    }

    private static List<String> texts(Planned planned) {
        return planned.gaps().stream().map(Gap::text).toList();
    }

    private static String reason(Planned planned, Structure structure) {
        return planned.candidates().stream()
                .filter(candidate -> candidate.structure() == structure)
                .findFirst()
                .orElseThrow()
                .reason();
    }

    /** For up to nine ranks and 1,000 directed graphs, the narrowest hop is the widest possible one, up to a step of an eighth. */
    @Test
    void theNarrowestHopIsTheBestOfAllRings() {
        for (long seed = 0; seed < 1_000; seed++) {
            var random = new SplittableRandom(seed);
            int world = 3 + (int) (seed % 7);
            LinkMatrix links = Nets.random(world, seed % 3 == 0 ? 0.3 : 0, random);
            long best = bestNarrowest(links, new ArrayList<>(List.of(0)), new HashSet<>(), Long.MAX_VALUE, 0);
            Planned planned = Planner.plan(links);
            String which = "seed " + seed;
            assertEquals(best > 0, planned.plan().costs().ring().isPossible(), which);
            if (best > 0) {
                List<Integer> order = planned.plan().order();
                List<Integer> ring =
                        order.isEmpty() ? IntStream.range(0, world).boxed().toList() : order;
                assertTrue(Nets.narrowest(links, ring) * 8 >= best * 7 - 8, which + ": " + best);
                long picos = picos(links);
                assertEquals(1_000_000_000_000L / best, picos, which);
            }
        }
    }

    private static long picos(LinkMatrix links) {
        var costs = new long[links.world()][links.world()];
        for (int from = 0; from < costs.length; from++) {
            for (int to = 0; to < costs.length; to++) {
                long rate = links.rate(from, to);
                costs[from][to] = rate == 0 ? HopCost.FORBIDDEN : 1_000_000_000_000L / rate;
            }
        }
        return new ExactRing(costs).bottleneck();
    }

    private static long bestNarrowest(LinkMatrix links, List<Integer> path, Set<Integer> used, long least, long best) {
        if (path.size() == links.world()) {
            return Math.max(best, Math.min(least, links.rate(path.getLast(), 0)));
        }
        long found = best;
        for (int next = 1; next < links.world(); next++) {
            long with = Math.min(least, links.rate(path.getLast(), next));
            if (with > found && used.add(next)) {
                path.add(next);
                found = bestNarrowest(links, path, used, with, found);
                path.removeLast();
                used.remove(next);
            }
        }
        return found;
    }

    /** Any matrix gives a valid plan that travels, the same each time. */
    @Test
    void anyMatrixGivesAPlan() throws Exception {
        for (long seed = 0; seed < 120; seed++) {
            var random = new SplittableRandom(seed);
            int world = 1 + random.nextInt(20);
            LinkMatrix.Builder links = LinkMatrix.builder(world);
            for (int i = random.nextInt(3 * world * world); i > 0; i--) {
                int from = random.nextInt(world);
                int to = random.nextInt(world);
                switch (random.nextInt(5)) {
                    case 0 -> links.unreachable(from, to);
                    case 1 -> links.roundTrip(from, to, random.nextLong());
                    case 2 -> links.machine(from, random.nextInt(4));
                    case 3 -> links.rate(from, to, random.nextLong() >> random.nextInt(64));
                    default -> links.rate(from, to, 1 + random.nextLong(1L << random.nextInt(1, 41)));
                }
            }
            Planned planned = Planner.plan(links.build());
            assertEquals(planned, Planner.plan(links.build()), "seed " + seed);
            Plan plan = planned.plan();
            assertEquals(plan, PlanEncoding.decode(PlanEncoding.encode(plan)), "seed " + seed);
            assertEquals(plan, Planner.next(plan, links.build(), LARGE), "seed " + seed);
        }
    }

    /** Steps of work, which are the same on every machine, in place of a time. */
    @Test
    void workIsBoundedAtTheLargestWorld() {
        for (long seed = 0; seed < 2; seed++) {
            var work = new Work(0);
            Planned planned = Planner.plan(Nets.random(256, 0.1, new SplittableRandom(seed)), work);
            assertTrue(work.steps() < 100_000_000, work.steps() + " steps");
            assertTrue(planned.plan().costs().ring().isPossible());
        }
    }
}
