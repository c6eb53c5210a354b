package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes the plan of a group from its links: hop order, shares and islands, each with its predicted cost. The caller chooses a structure for
 * each size by {@link PlanCosts}. A pure function: every rank that has the matrix has the plan.
 */
public final class Planner {
    /** Part of the present time that a new plan must save. Noise of 5 % on both plans cannot reach it. */
    private static final double GAIN_MIN = 0.10;

    /**
     * A step between rates near {@link Partition#STEP_MIN} makes islands in one measurement and none in the next. So a new plan must be faster
     * for each of these, and predictions must move for each; noise of 5 % on both rates reaches from one to its neighbour, not further.
     */
    private static final List<Double> STEPS_MIN = List.of(1.7, Partition.STEP_MIN, 2.3);

    /** Predictions that moved by more than this factor are renewed, although the choices stay. */
    private static final double COSTS_FACTOR_MAX = 1.25;

    /** The same for latency, which varies more. */
    private static final double ALPHA_FACTOR_MAX = 2;

    /** Latency below counts as this. */
    private static final double ALPHA_FLOOR_NANOS = 100_000;

    private Planner() {}

    /** The plan for these links, whatever was planned before. */
    public static Planned plan(LinkMatrix links) {
        return plan(links, new Work(0));
    }

    static Planned plan(LinkMatrix links, Work work) {
        if (links.world() == 1) {
            return new Planned(Plan.NONE, List.of(), List.of());
        }
        var predictor = new Predictor(links, Partition.STEP_MIN, work);
        List<Integer> order = RingPlanner.order(links, work);
        Candidate ring = predictor.ring(order);
        boolean isPlain = order.equals(IntStream.range(0, links.world()).boxed().toList());
        List<Integer> weights = weights(links, predictor.network(), work);
        IslandPlanner.Choice islands = new IslandPlanner(predictor.network(), work).best();
        Candidate direct = predictor.direct(weights);
        Candidate hierarchy = predictor.islands(islands.islands(), islands.leaderWeights());
        var plan = new Plan(
                isPlain || !ring.route().isPossible() ? List.of() : order,
                weights,
                islands.islands(),
                islands.leaderWeights(),
                new PlanCosts(ring.route(), direct.route(), hierarchy.route(), predictor.pair()));
        return new Planned(plan, List.of(ring, direct, hierarchy), gaps(links));
    }

    private static List<Integer> weights(LinkMatrix links, Network network, Work work) {
        int world = links.world();
        return links.hasRates()
                ? new Ownership(network, IntStream.range(0, world).toArray(), new double[world][world], work)
                        .best()
                        .weights()
                : List.of();
    }

    private static List<Gap> gaps(LinkMatrix links) {
        var gaps = new ArrayList<Gap>();
        for (int one = 0; one < links.world(); one++) {
            for (int other = one + 1; other < links.world() && gaps.size() < Planned.GAPS_MAX; other++) {
                boolean ahead = links.reachable(one, other);
                boolean back = links.reachable(other, one);
                if (!ahead) {
                    gaps.add(new Gap(one, other, !back));
                } else if (!back) {
                    gaps.add(new Gap(other, one, false));
                }
            }
        }
        return gaps;
    }

    /**
     * The plan that follows another one. It keeps the choices unless new ones are predicted to take at least a tenth less time, or the old
     * ones are impossible or of another world. So measurement noise changes no plan, and each change is a real gain. A kept plan has new
     * predictions only if they moved by a quarter.
     *
     * @param current the plan in use
     * @param links as measured now
     * @param bytes of a typical sum
     */
    public static Plan next(Plan current, LinkMatrix links, long bytes) {
        int world = links.world();
        Plan fresh = plan(links).plan();
        if (world == 1 || current.world().orElse(world) != world) {
            return fresh;
        }
        PlanCosts now = costs(current, links, Partition.STEP_MIN);
        boolean isFirst = !isMeasured(current.costs());
        if (!links.hasRates()) {
            return keepsRoundTrips(now, fresh, isFirst) ? current : fresh;
        }
        if (isFirst
                || isBroken(current, now, fresh.costs())
                || STEPS_MIN.stream().allMatch(step -> isFaster(current, fresh, links, step, bytes))) {
            return fresh;
        }
        boolean isNear = STEPS_MIN.stream().anyMatch(step -> isNear(current.costs(), costs(current, links, step)));
        return isNear ? current : current.with(now);
    }

    private static PlanCosts costs(Plan plan, LinkMatrix links, double stepMin) {
        return new Predictor(links, stepMin, new Work(0)).costs(plan);
    }

    private static boolean isFaster(Plan current, Plan fresh, LinkMatrix links, double stepMin, long bytes) {
        double nanos = least(costs(current, links, stepMin), links.world(), bytes);
        double freshNanos = least(costs(fresh, links, stepMin), links.world(), bytes);
        return Double.isFinite(freshNanos) && freshNanos <= (1 - GAIN_MIN) * nanos;
    }

    /** Whether the ring or the islands cannot work as planned, although new ones can. */
    private static boolean isBroken(Plan current, PlanCosts now, PlanCosts fresh) {
        boolean isRing = !now.ring().isPossible() && fresh.ring().isPossible();
        boolean hasIslands = !current.islands().isEmpty();
        return isRing
                || (hasIslands && !now.islands().isPossible() && fresh.islands().isPossible());
    }

    private static boolean isMeasured(PlanCosts costs) {
        return routes(costs).stream().anyMatch(Route::isMeasured);
    }

    /** Without rates only latency speaks, and a ring must halve it. A measured plan is better than that. */
    private static boolean keepsRoundTrips(PlanCosts now, Plan fresh, boolean isFirst) {
        if (!now.ring().isPossible() && fresh.costs().ring().isPossible()) {
            return false;
        }
        double ring = Math.max(ALPHA_FLOOR_NANOS, (double) now.ring().alphaNanos());
        double freshRing =
                Math.max(ALPHA_FLOOR_NANOS, (double) fresh.costs().ring().alphaNanos());
        return !isFirst || freshRing * 2 > ring;
    }

    private static double least(PlanCosts costs, int world, long bytes) {
        return costs.fastest(world, bytes)
                .map(structure -> costs.nanos(structure, world, bytes))
                .orElse(Double.POSITIVE_INFINITY);
    }

    private static boolean isNear(PlanCosts before, PlanCosts now) {
        List<Route> old = routes(before);
        List<Route> moved = routes(now);
        return IntStream.range(0, old.size()).allMatch(i -> isNear(old.get(i), moved.get(i)));
    }

    private static boolean isNear(Route before, Route now) {
        double alpha = Math.max(ALPHA_FLOOR_NANOS, (double) before.alphaNanos());
        double nowAlpha = Math.max(ALPHA_FLOOR_NANOS, (double) now.alphaNanos());
        return before.isPossible() == now.isPossible()
                && isWithin(COSTS_FACTOR_MAX, (double) before.picosPerByte(), (double) now.picosPerByte())
                && isWithin(ALPHA_FACTOR_MAX, alpha, nowAlpha);
    }

    private static boolean isWithin(double factor, double one, double other) {
        return one <= factor * other && other <= factor * one;
    }

    private static List<Route> routes(PlanCosts costs) {
        return Stream.of(costs.ring(), costs.direct(), costs.islands(), costs.pair())
                .toList();
    }
}
