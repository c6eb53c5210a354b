package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The best ring over few ranks, by dynamic programming over sets of ranks (Held and Karp, "A dynamic programming approach to sequencing
 * problems", 1962). First it searches the lowest bottleneck among the distinct costs: for each set of ranks, it finds the ranks at which a
 * path of cheap enough hops through exactly this set can end. Then it minimises the number of hops of that cost and the sum of the others,
 * which both add up along a path.
 *
 * <p>Rank 0 starts the ring and is in no set; bit i-1 of a set stands for rank i.
 */
final class ExactRing {
    /** Most ranks. A set of 15 others takes half a million states, some 4 MB. */
    static final int WORLD_MAX = 16;

    /** One hop of the highest cost outweighs the sum of all others, which are below 2^42. */
    private static final long WORST_HOP = 1L << 52;

    private static final long IMPOSSIBLE = Long.MAX_VALUE / 4; // two of them may be added

    private final long[][] costs;
    private final int others;

    ExactRing(long[][] costs) {
        if (costs.length > WORLD_MAX) {
            throw new IllegalArgumentException(
                    "the exact search takes at most " + WORLD_MAX + " ranks, got " + costs.length);
        }
        this.costs = costs;
        this.others = costs.length - 1;
    }

    /** The cost of the most expensive hop of the best ring; 0 in a world of one. */
    long bottleneck() {
        long[] distinct = RingBound.distinct(costs);
        int low = 0;
        int high = distinct.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (hasRing(distinct[middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return distinct.length == 0 ? 0 : distinct[low];
    }

    private boolean hasRing(long worst) {
        var before = new int[costs.length]; // the ranks that may precede each one, as a set
        for (int from = 1; from < costs.length; from++) {
            for (int to = 0; to < costs.length; to++) {
                before[to] |= from != to && costs[from][to] <= worst ? 1 << (from - 1) : 0;
            }
        }
        var ends = new short[1 << others]; // sets of the last ranks of paths through exactly this set
        for (int set = 1; set < ends.length; set++) {
            int found = 0;
            for (int left = set; left != 0; left &= left - 1) {
                int last = left & -left;
                int rank = Integer.numberOfTrailingZeros(last) + 1;
                int rest = set ^ last;
                boolean isReached = rest == 0 ? costs[0][rank] <= worst : (ends[rest] & before[rank]) != 0;
                found |= isReached ? last : 0;
            }
            ends[set] = (short) found;
        }
        return others == 0 || (ends[ends.length - 1] & before[0]) != 0;
    }

    /** The first of the best rings, in lexicographic order. */
    List<Integer> best() {
        long worst = bottleneck();
        long[][] prices = prices(worst);
        long[] rest = cheapestRest(prices);
        var ring = new ArrayList<Integer>();
        ring.add(0);
        for (int set = 0; ring.size() < costs.length; set |= 1 << (ring.getLast() - 1)) {
            ring.add(next(ring.getLast(), set, rest, prices));
        }
        return ring;
    }

    /** For each set that a path covered and its last rank, the price of the cheapest way through all others and back to 0. */
    private long[] cheapestRest(long[][] prices) {
        int all = (1 << others) - 1;
        var rest = new long[(all + 1) * costs.length];
        Arrays.fill(rest, IMPOSSIBLE);
        var after = new int[costs.length]; // the ranks that may follow each one, as a set
        for (int from = 1; from < costs.length; from++) {
            for (int to = 1; to < costs.length; to++) {
                after[from] |= prices[from][to] < IMPOSSIBLE ? 1 << (to - 1) : 0;
            }
        }
        for (int set = all; set > 0; set--) {
            for (int left = set; left != 0; left &= left - 1) {
                int last = Integer.numberOfTrailingZeros(left) + 1;
                long[] price = prices[last];
                long least = set == all ? price[0] : IMPOSSIBLE;
                for (int open = after[last] & ~set; open != 0; open &= open - 1) {
                    int next = Integer.numberOfTrailingZeros(open) + 1;
                    least = Math.min(least, price[next] + rest[(set | (open & -open)) * costs.length + next]);
                }
                rest[set * costs.length + last] = least;
            }
        }
        return rest;
    }

    private int next(int last, int set, long[] rest, long[][] prices) {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int next = 1; next < costs.length; next++) {
            int bit = 1 << (next - 1);
            long price = prices[last][next] + rest[(set | bit) * costs.length + next];
            if ((set & bit) == 0 && price < least) {
                best = next;
                least = price;
            }
        }
        return best;
    }

    private long[][] prices(long worst) {
        var prices = new long[costs.length][costs.length];
        for (int from = 0; from < costs.length; from++) {
            for (int to = 0; to < costs.length; to++) {
                long cost = costs[from][to];
                prices[from][to] = cost > worst ? IMPOSSIBLE : cost == worst ? WORST_HOP : cost;
            }
        }
        return prices;
    }
}
