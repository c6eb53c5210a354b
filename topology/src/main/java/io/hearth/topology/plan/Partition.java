package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Ranks in islands: close to one another, and far from the others. */
final class Partition {
    /** Links of one island are at least this much faster than the next slower ones. */
    static final double STEP_MIN = 2;

    /** Most partitions by rate; the ones at the widest steps count. */
    private static final int BY_RATE_MAX = 8;

    private final int[] island; // of each rank
    private final int count;
    private final int[] sizes;
    private final boolean areMachines;

    private Partition(int[] island, int count, boolean areMachines) {
        this.island = island;
        this.count = count;
        this.areMachines = areMachines;
        this.sizes = new int[count];
        Arrays.stream(island).forEach(each -> sizes[each]++);
    }

    private record Step(long above, double ratio) {}

    /**
     * All partitions with two islands or more, of which one has two ranks or more: by machine, and at each wide step between neighbouring
     * rates, the ranks that faster links join (single linkage).
     *
     * @param stepMin ratio of neighbouring rates that makes a step wide, normally {@link #STEP_MIN}
     */
    static List<Partition> of(LinkMatrix links, double stepMin) {
        int world = links.world();
        var found = new ArrayList<Partition>();
        var both = new long[world][world]; // rate of the slower direction
        var machines = new long[world][world];
        for (int one = 0; one < world; one++) {
            for (int other = 0; other < world; other++) {
                both[one][other] = Math.min(links.rate(one, other), links.rate(other, one));
                machines[one][other] = links.machine(one) == links.machine(other) ? 1 : 0;
            }
        }
        add(found, joined(machines, 1, true));
        steps(both, stepMin).forEach(step -> add(found, joined(both, step.above(), false)));
        return found;
    }

    private static void add(List<Partition> found, Partition partition) {
        boolean isNew = found.stream().noneMatch(other -> Arrays.equals(other.island, partition.island));
        if (isNew && partition.count >= 2 && partition.count < partition.island.length) {
            found.add(partition);
        }
    }

    private static List<Step> steps(long[][] rates, double stepMin) {
        long[] rising = Arrays.stream(rates)
                .flatMapToLong(Arrays::stream)
                .filter(rate -> rate > 0)
                .sorted()
                .distinct()
                .toArray();
        var steps = new ArrayList<Step>();
        for (int i = 1; i < rising.length; i++) {
            double ratio = (double) rising[i] / rising[i - 1];
            if (ratio >= stepMin) {
                steps.add(new Step(rising[i], ratio));
            }
        }
        return steps.stream()
                .sorted(Comparator.comparingDouble(Step::ratio).reversed())
                .limit(BY_RATE_MAX)
                .sorted(Comparator.comparingLong(Step::above))
                .toList();
    }

    private static Partition joined(long[][] nearness, long least, boolean areMachines) {
        int world = nearness.length;
        var island = new int[world];
        Arrays.fill(island, -1);
        var queue = new int[world];
        int count = 0;
        for (int start = 0; start < world; start++) {
            if (island[start] < 0) {
                island[start] = count;
                queue[0] = start;
                for (int at = 0, end = 1; at < end; at++) {
                    for (int next = 0; next < world; next++) {
                        if (island[next] < 0 && nearness[queue[at]][next] >= least) {
                            island[next] = count;
                            queue[end++] = next;
                        }
                    }
                }
                count++;
            }
        }
        return new Partition(island, count, areMachines);
    }

    /** The island of a rank; islands are numbered in the order of their lowest ranks. */
    int island(int rank) {
        return island[rank];
    }

    /** Number of islands. */
    int count() {
        return count;
    }

    /** Whether the islands are computers, which share one port to all others. */
    boolean areMachines() {
        return areMachines;
    }

    /**
     * Whether the traffic from one island to another passes the one line that each of them has to the rest. A machine has one port. A single
     * rank needs no line to explain why it is slow: its own port does.
     */
    boolean sharesLine(int from, int to) {
        return from != to && (areMachines || (sizes[from] >= 2 && sizes[to] >= 2));
    }

    /** Number of ranks of an island. */
    int size(int number) {
        return sizes[number];
    }

    /** The lowest rank of an island. */
    int first(int number) {
        int rank = 0;
        while (island[rank] != number) {
            rank++;
        }
        return rank;
    }
}
