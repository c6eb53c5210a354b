package io.hearth.topology.plan;

import java.util.Arrays;

/** A bound for rings over many ranks, for which the best ring is too expensive to compute. */
final class RingBound {
    private RingBound() {}

    /**
     * A cost that the most expensive hop of any ring reaches at least: hops below it leave a rank without a way in or out, or leave two ranks
     * of which one cannot reach the other.
     */
    static long atLeast(long[][] costs) {
        long[] distinct = distinct(costs);
        int low = 0;
        int high = distinct.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (reachesAll(costs, distinct[middle], false) && reachesAll(costs, distinct[middle], true)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return distinct.length == 0 ? 0 : distinct[low];
    }

    /** The costs of all hops, each once, rising. */
    static long[] distinct(long[][] costs) {
        int world = costs.length;
        var all = new long[world * Math.max(0, world - 1)];
        int count = 0;
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (from != to) {
                    all[count++] = costs[from][to];
                }
            }
        }
        return Arrays.stream(all).sorted().distinct().toArray();
    }

    private static boolean reachesAll(long[][] costs, long most, boolean isBackwards) {
        int world = costs.length;
        var seen = new boolean[world];
        var queue = new int[world];
        seen[0] = true;
        int count = 1;
        for (int at = 0; at < count; at++) {
            int here = queue[at];
            for (int next = 0; next < world; next++) {
                long cost = isBackwards ? costs[next][here] : costs[here][next];
                if (!seen[next] && cost <= most) {
                    seen[next] = true;
                    queue[count++] = next;
                }
            }
        }
        return count == world;
    }
}
