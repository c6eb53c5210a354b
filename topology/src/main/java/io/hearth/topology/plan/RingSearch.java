package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Improves a ring by local search: it reverses a part of the ring (two-opt), or moves up to three neighbours to another place, forward or
 * reversed (or-opt). Sums over the beginning of the ring, in both directions, give the effect of each change in constant time, also for
 * costs that depend on the direction. A hop of the highest cost outweighs all cheaper ones, and no change adds a hop above it.
 *
 * <p>When no change helps, it swaps two neighbouring parts of the ring at random (the double bridge of Martin, Otto and Felten, 1991) and
 * repairs the most expensive hops. The random numbers come from a fixed seed.
 */
final class RingSearch {
    private static final long WORST_HOP = 1L << 52;
    private static final int MOVED_MAX = 3;

    private final long[][] costs;
    private final Work work;
    private final int world;
    private int[] ring;
    private int[] spare;
    private long worst;
    private final long[] ahead; // weight of the hops before each place
    private final long[] back; // the same, with each hop in the opposite direction
    private final int[] forbidden; // number of opposite hops above the highest cost

    RingSearch(long[][] costs, List<Integer> start, Work work) {
        this.costs = costs;
        this.work = work;
        this.world = costs.length;
        this.ring = start.stream().mapToInt(Integer::intValue).toArray();
        this.spare = new int[world];
        this.ahead = new long[world + 1];
        this.back = new long[world + 1];
        this.forbidden = new int[world + 1];
        refresh();
    }

    /** The ring after all changes that help. */
    List<Integer> descend() {
        while (reverseParts(false) || moveParts(false)) { // until neither helps
        }
        return result();
    }

    /** The best ring after random changes, until the budget is spent. */
    List<Integer> escape() {
        var random = new SplittableRandom(world);
        List<Integer> best = result();
        RingPrice bestPrice = RingPrice.of(costs, best);
        while (work.isLeft()) {
            ring = best.stream().mapToInt(Integer::intValue).toArray();
            swapParts(random);
            refresh();
            while (reverseParts(true) || moveParts(true)) { // until neither helps
            }
            List<Integer> found = result();
            RingPrice price = RingPrice.of(costs, found);
            if (price.compareTo(bestPrice) < 0) {
                best = found;
                bestPrice = price;
            }
        }
        return best;
    }

    private List<Integer> result() {
        var found = new ArrayList<>(Arrays.stream(ring).boxed().toList());
        Collections.rotate(found, -found.indexOf(0));
        return List.copyOf(found);
    }

    private void refresh() {
        work.spend(4L * world);
        worst = 0;
        for (int i = 0; i < world; i++) {
            worst = Math.max(worst, cost(i));
        }
        for (int i = 0; i < world; i++) {
            long opposite = costs[at(i + 1)][at(i)];
            ahead[i + 1] = ahead[i] + weight(cost(i));
            back[i + 1] = back[i] + weight(opposite);
            forbidden[i + 1] = forbidden[i] + (opposite > worst ? 1 : 0);
        }
    }

    private int at(int place) {
        return ring[place < world ? place : place - world];
    }

    /** Of the hop that leaves this place. */
    private long cost(int place) {
        return costs[at(place)][at(place + 1)];
    }

    private boolean isWorst(int place) {
        return cost(place) == worst;
    }

    private long weight(long cost) {
        return cost >= worst ? WORST_HOP : cost;
    }

    private boolean isAllowed(int from, int to) {
        return costs[from][to] <= worst;
    }

    private long weight(int from, int to) {
        return weight(costs[from][to]);
    }

    /** Places first to last, of 1 to world-1, stay a part of the ring in the opposite direction. */
    private boolean reverseParts(boolean onlyWorst) {
        boolean helped = false;
        for (int first = 1; first < world && work.isLeft(); first++) {
            work.spend(world - first);
            for (int last = first + 1; last < world; last++) {
                if ((!onlyWorst || isWorst(first - 1) || isWorst(last)) && reversalHelps(first, last)) {
                    for (int i = first, j = last; i < j; i++, j--) {
                        int swapped = ring[i];
                        ring[i] = ring[j];
                        ring[j] = swapped;
                    }
                    refresh();
                    helped = true;
                }
            }
        }
        return helped;
    }

    private boolean reversalHelps(int first, int last) {
        int before = at(first - 1);
        int after = at(last + 1);
        if (forbidden[last] != forbidden[first] || !isAllowed(before, ring[last]) || !isAllowed(ring[first], after)) {
            return false;
        }
        long now = ahead[last + 1] - ahead[first - 1];
        long then = weight(before, ring[last]) + back[last] - back[first] + weight(ring[first], after);
        return then < now;
    }

    /** Up to three neighbours, at places of 1 to world-1, go between two others. */
    private boolean moveParts(boolean onlyWorst) {
        boolean helped = false;
        for (int first = 1; first < world && work.isLeft(); first++) {
            for (int last = first; last < Math.min(world, first + MOVED_MAX); last++) {
                if (isAllowed(at(first - 1), at(last + 1)) && movePart(onlyWorst, first, last)) {
                    refresh();
                    helped = true;
                }
            }
        }
        return helped;
    }

    private boolean movePart(boolean onlyWorst, int first, int last) {
        work.spend(world);
        boolean isHere = !onlyWorst || isWorst(first - 1) || isWorst(last);
        long gain = ahead[last + 1] - ahead[first - 1] - weight(at(first - 1), at(last + 1));
        long inside = ahead[last] - ahead[first];
        for (int place = 0; place < world; place++) {
            if ((place < first - 1 || place > last) && (isHere || isWorst(place))) {
                int before = at(place);
                int after = at(place + 1);
                long spared = gain + weight(cost(place));
                boolean forward = isAllowed(before, ring[first])
                        && isAllowed(ring[last], after)
                        && weight(before, ring[first]) + inside + weight(ring[last], after) < spared;
                boolean reversed = forbidden[last] == forbidden[first]
                        && isAllowed(before, ring[last])
                        && isAllowed(ring[first], after)
                        && weight(before, ring[last]) + back[last] - back[first] + weight(ring[first], after) < spared;
                if (forward || reversed) {
                    move(first, last, place, forward);
                    return true;
                }
            }
        }
        return false;
    }

    private void move(int first, int last, int place, boolean isForward) {
        int count = 0;
        for (int i = 0; i < world; i++) {
            if (i < first || i > last) {
                spare[count++] = ring[i];
            }
            if (i == place) {
                for (int j = 0; j <= last - first; j++) {
                    spare[count++] = ring[isForward ? first + j : last - j];
                }
            }
        }
        swapWithSpare();
    }

    private void swapParts(SplittableRandom random) {
        int[] cuts = random.ints(3, 1, world).sorted().toArray();
        int count = 0;
        for (int[] part : new int[][] {{0, cuts[0]}, {cuts[1], cuts[2]}, {cuts[0], cuts[1]}, {cuts[2], world}}) {
            System.arraycopy(ring, part[0], spare, count, part[1] - part[0]);
            count += part[1] - part[0];
        }
        swapWithSpare();
    }

    private void swapWithSpare() {
        int[] made = spare;
        spare = ring;
        ring = made;
    }
}
