package io.hearth.topology.plan;

import java.util.Arrays;

/**
 * The cost of a hop from one rank to another, as whole numbers that are only compared with one another.
 *
 * <p>Measurements vary, and a ring that follows every variation would change with each plan. So costs are rounded to steps. Rates within
 * an eighth of the rate of the best possible bottleneck cost the same as it, and the steps above and below are as wide.
 *
 * <p>Round-trip times within a factor of two cost the same. So do all below 0.2 ms, because a round trip says little more than the kind of
 * network that it crossed. Only two ranks of one machine are nearer than that.
 */
final class HopCost {
    /** The cost of a hop without a measurement: higher than any measured one, and still allowed. */
    static final long UNKNOWN = 1L << 41;

    /** The cost of a hop between two ranks without a working link: the search avoids it if any other ring exists. */
    static final long FORBIDDEN = 1L << 42;

    private static final long ROUND_TRIP_FLOOR_NANOS = 200_000;
    private static final long SAME_MACHINE_FLOOR_NANOS = 100_000;
    private static final long PICOS_PER_SECOND = 1_000_000_000_000L;

    private HopCost() {}

    /** Costs from row to column, from rates if there are any, else from round trips; the diagonal is ignored. */
    static long[][] among(LinkMatrix links) {
        int world = links.world();
        var costs = new long[world][world];
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (from != to) {
                    costs[from][to] = exact(links, from, to);
                }
            }
        }
        return links.hasRates() ? inSteps(costs) : costs;
    }

    private static long exact(LinkMatrix links, int from, int to) {
        if (!links.reachable(from, to)) {
            return FORBIDDEN;
        }
        if (links.hasRates()) {
            return Math.max(1, PICOS_PER_SECOND / links.rate(from, to));
        }
        long nanos = links.roundTripNanos(from, to);
        boolean isSameMachine = links.machine(from) == links.machine(to);
        return nanos == 0
                ? UNKNOWN
                : leadingBit(Math.max(isSameMachine ? SAME_MACHINE_FLOOR_NANOS : ROUND_TRIP_FLOOR_NANOS, nanos));
    }

    private static long leadingBit(long value) {
        return Long.highestOneBit(value);
    }

    /**
     * Rounds costs up to steps of an eighth. One step ends an eighth above the lowest bottleneck that a ring can have, so that noise around
     * that value stays in one step.
     */
    private static long[][] inSteps(long[][] exact) {
        long bottleneck =
                exact.length <= ExactRing.WORLD_MAX ? new ExactRing(exact).bottleneck() : RingBound.atLeast(exact);
        long anchor = bottleneck >= UNKNOWN ? 1 : bottleneck + bottleneck / 7;
        var steps = new long[Long.SIZE * 16];
        int count = 0;
        for (long step = anchor; step > 0; step = step * 7 / 8) {
            steps[count++] = step;
        }
        for (long step = anchor; step < UNKNOWN / 2; ) {
            step += Math.max(1, step / 7);
            steps[count++] = Math.min(step, UNKNOWN / 2);
        }
        long[] sorted = Arrays.copyOf(steps, count);
        Arrays.sort(sorted);
        var costs = new long[exact.length][exact.length];
        for (int from = 0; from < exact.length; from++) {
            for (int to = 0; to < exact.length; to++) {
                int at = Arrays.binarySearch(sorted, exact[from][to]);
                costs[from][to] = exact[from][to] >= UNKNOWN ? exact[from][to] : sorted[at >= 0 ? at : -at - 1];
            }
        }
        return costs;
    }
}
