package io.hearth.topology.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which measurements change a plan, and which do not. */
final class HysteresisTest {
    private static final long LARGE = 64 << 20;

    private static final List<LinkMatrix> HOMES = List.of(
            Nets.switched(120, 120, 120, 120).build(),
            Nets.switched(120, 120, 120, 12).build(),
            Nets.switched(120, 120, 30, 120, 120, 12, 120, 120).build(),
            Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12).build(),
            Nets.pairs(6, (from, to) -> from % 2 == to % 2 ? 120 : 12).build(),
            Nets.pairs(8, (from, to) -> from / 2 == to / 2 ? 101 : 47).build(), // islands in some measurements
            Nets.pairs(5, (from, to) -> from + to == 1 ? 2_000 : 120).build(),
            Nets.switched(120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120, 60, 120, 120, 120, 120, 120)
                    .build());

    @Test
    void noiseChangesNoPlan() {
        for (LinkMatrix home : HOMES) {
            for (long seed = 0; seed < 4; seed++) {
                var random = new SplittableRandom(seed);
                Plan plan = Planner.next(Plan.NONE, Nets.noisy(home, 0.05, random), LARGE);
                for (int i = 0; i < 25; i++) {
                    Plan next = Planner.next(plan, Nets.noisy(home, 0.05, random), LARGE);
                    assertSame(plan, next, home + ", seed " + seed + ", measurement " + i);
                }
            }
        }
    }

    /** On any network, noise can reveal that a plan was not the best, but never bring a former plan back. */
    @Test
    void noiseNeverBringsAPlanBack() {
        for (long seed = 0; seed < 60; seed++) {
            var random = new SplittableRandom(seed);
            LinkMatrix truth = Nets.random(3 + (int) (seed % 6), 0, random);
            Plan plan = Planner.next(Plan.NONE, truth, LARGE);
            var plans = new ArrayList<Plan>(List.of(choices(plan)));
            for (int i = 0; i < 40; i++) {
                plan = Planner.next(plan, Nets.noisy(truth, 0.05, random), LARGE);
                if (!choices(plan).equals(plans.getLast())) {
                    assertFalse(plans.contains(choices(plan)), "seed " + seed);
                    plans.add(choices(plan));
                }
            }
            assertTrue(plans.size() <= 2, plans.size() + " plans, seed " + seed);
        }
    }

    private static Plan choices(Plan plan) {
        return plan.with(PlanCosts.UNKNOWN);
    }

    /** A node's rate falls from 1 Gbit/s to a tenth and rises again, with noise, over 400 measurements. */
    @Test
    void aSlowDriftChangesThePlanAFewTimes() {
        for (long seed = 0; seed < 8; seed++) {
            var random = new SplittableRandom(seed);
            Plan plan =
                    Planner.next(Plan.NONE, Nets.switched(120, 120, 120, 120).build(), LARGE);
            int changes = 0;
            for (int i = 0; i < 400; i++) {
                int slow = 12 + 108 * Math.abs(i - 200) / 200;
                LinkMatrix links = Nets.noisy(Nets.switched(120, 120, 120, slow).build(), 0.05, random);
                Plan next = Planner.next(plan, links, LARGE);
                changes += choices(next).equals(choices(plan)) ? 0 : 1;
                plan = next;
                if (i == 200) {
                    assertTrue(
                            plan.weights().getLast() < 65_535 / 20, "the slow node owns next to nothing, seed " + seed);
                }
            }
            assertTrue(changes >= 2 && changes <= 8, changes + " changes, seed " + seed);
        }
    }

    @Test
    void aRealChangeMovesThePlanAndAStablePlanLearnsNewCosts() {
        LinkMatrix fast = Nets.switched(120, 120, 120, 120).build();
        Plan plan = Planner.next(Plan.NONE, fast, LARGE);
        Plan uneven = Planner.next(plan, Nets.switched(120, 120, 120, 12).build(), LARGE);
        assertNotEquals(choices(plan), choices(uneven));
        Plan slower = Planner.next(plan, Nets.switched(60, 60, 60, 60).build(), LARGE);
        assertEquals(choices(plan), choices(slower));
        assertEquals(
                2.0,
                (double) slower.costs().ring().picosPerByte()
                        / plan.costs().ring().picosPerByte(),
                0.01);
    }

    @Test
    void aPlanThatBecameImpossibleOrIsOfAnotherWorldIsReplaced() {
        LinkMatrix sites =
                Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12).build();
        Plan plan = Planner.next(Plan.NONE, sites, LARGE);
        assertEquals(List.of(0, 0, 2, 2), plan.islands());
        LinkMatrix.Builder broken = Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12);
        for (int[] pair : new int[][] {{0, 2}, {0, 3}, {1, 3}}) {
            broken.unreachable(pair[0], pair[1]).unreachable(pair[1], pair[0]);
        }
        Plan next = Planner.next(plan, broken.build(), LARGE);
        assertEquals(List.of(1, 1, 2, 2), next.islands(), "leaders 0 and 2 have no link");
        Plan three = Planner.next(next, Nets.switched(120, 120, 120).build(), LARGE);
        assertEquals(Plan.NONE, choices(three));
    }

    /** Two members of a site lose their link. The islands work as before, and a small sum may want the ring. */
    @Test
    void aBrokenRingIsReplacedAlthoughIslandsAreFaster() {
        LinkMatrix.Builder sites = Nets.pairs(6, (from, to) -> from / 3 == to / 3 ? 120 : 12);
        Plan plan = Planner.next(Plan.NONE, sites.build(), LARGE);
        assertEquals(List.of(), plan.order());
        Plan next = Planner.next(plan, sites.unreachable(1, 2).build(), LARGE);
        assertEquals(plan.islands(), next.islands());
        assertTrue(next.costs().ring().isPossible());
    }

    @Test
    void aPlanStaysIfNoneIsPossible() {
        LinkMatrix.Builder links = Nets.pairs(4, (from, to) -> from / 2 == to / 2 ? 120 : 12);
        Plan plan = Planner.next(Plan.NONE, links.build(), LARGE);
        for (int other = 1; other < 4; other++) {
            links.unreachable(0, other).unreachable(other, 0);
        }
        Plan next = Planner.next(plan, links.build(), LARGE);
        assertEquals(choices(plan), choices(next));
        assertEquals(Route.NEVER, next.costs().islands());
    }

    @Test
    void withoutRatesARingMustHalveTheLatency() {
        Plan slow = Planner.next(Plan.NONE, roundTrips(4, 0, 1, 2_000_000), LARGE);
        assertEquals(List.of(0, 2, 1, 3), slow.order());
        assertSame(slow, Planner.next(slow, roundTrips(4, 0, 2, 700_000), LARGE), "not bad enough");
        assertEquals(
                List.of(),
                Planner.next(slow, roundTrips(4, 0, 2, 2_000_000), LARGE).order());
    }

    private static LinkMatrix roundTrips(int world, int one, int other, long slow) {
        LinkMatrix.Builder links = LinkMatrix.builder(world);
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                boolean isSlow = (from == one && to == other) || (from == other && to == one);
                links.roundTrip(from, to, isSlow ? slow : 400_000);
            }
        }
        return links.build();
    }
}
