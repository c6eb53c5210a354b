package io.hearth.simulation.scale;

import io.hearth.topology.plan.LinkMatrix;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A network of places at which bytes queue, such as ports, uplinks and the air of a Wi-Fi cell. Rates and latencies vary by a few percent,
 * by the seed. Immutable.
 */
public final class GeneratedNetwork {
    /** Fewest nodes. */
    public static final int NODES_MIN = 2;

    /** Most nodes. */
    public static final int NODES_MAX = LinkMatrix.WORLD_MAX;

    private static final double MEGABIT = 1e6 / 8; // bytes per second
    private static final long MICRO = 1_000L;
    private static final long MILLI = 1_000_000L;
    private static final int RACK_NODES = 16;
    private static final int CELL_NODES = 8;
    private static final int SITES_MAX = 8;

    private final int nodes;
    private final int group; // nodes of a rack, cell or site
    private final boolean isShared; // whether the nodes of a group share one medium
    private final List<Double> rates = new ArrayList<>(); // of places, in bytes per second
    private final int[] out; // place of a node's sending port, or of its cell
    private final int[] in;
    private final int[] leaving; // place of a group's line
    private final int[] entering;
    private final long[] insideNanos; // one way, from a node into its group
    private final long[] outsideNanos; // one way, from a group's line to the middle

    private GeneratedNetwork(NetworkKind kind, int nodes, SplittableRandom random) {
        this.nodes = nodes;
        this.isShared = kind == NetworkKind.WIFI;
        this.group = switch (kind) {
            case RACKS -> Math.min(RACK_NODES, Math.ceilDiv(nodes, 2));
            case WIFI -> Math.min(CELL_NODES, Math.ceilDiv(nodes, 2));
            case SITES -> Math.ceilDiv(nodes, Math.clamp(nodes / 4, 2, SITES_MAX));
        };
        int groups = Math.ceilDiv(nodes, group);
        out = new int[nodes];
        in = new int[nodes];
        insideNanos = new long[nodes];
        leaving = new int[groups];
        entering = new int[groups];
        outsideNanos = new long[groups];
        double port = kind == NetworkKind.RACKS ? 10_000 : 1_000;
        double line = switch (kind) {
            case RACKS -> 40_000;
            case WIFI -> 1_000;
            case SITES -> 100;
        };
        long outside = switch (kind) {
            case RACKS -> 25 * MICRO;
            case WIFI -> 100 * MICRO;
            case SITES -> 5 * MILLI;
        };
        for (int each = 0; each < groups; each++) {
            leaving[each] = place(line * near(random));
            entering[each] = place(line * near(random));
            outsideNanos[each] = Math.round(outside * near(random));
        }
        int[] cells = new int[groups];
        Arrays.setAll(cells, _ -> isShared ? place(300 + random.nextInt(500)) : -1);
        for (int node = 0; node < nodes; node++) {
            out[node] = isShared ? cells[node / group] : place(port * near(random));
            in[node] = isShared ? out[node] : place(port * near(random));
            insideNanos[node] = isShared ? MILLI + random.nextLong(3 * MILLI) : Math.round(25 * MICRO * near(random));
        }
    }

    /**
     * A network; the same for the same arguments.
     *
     * @param nodes {@value #NODES_MIN} to {@link #NODES_MAX}
     */
    public static GeneratedNetwork of(NetworkKind kind, int nodes, long seed) {
        if (nodes < NODES_MIN || nodes > NODES_MAX) {
            throw new IllegalArgumentException(
                    "a network has " + NODES_MIN + " to " + NODES_MAX + " nodes, got " + nodes);
        }
        return new GeneratedNetwork(kind, nodes, new SplittableRandom(seed));
    }

    private static double near(SplittableRandom random) {
        return 0.95 + 0.05 * random.nextDouble();
    }

    private int place(double megabits) {
        rates.add(megabits * MEGABIT);
        return rates.size() - 1;
    }

    public int nodes() {
        return nodes;
    }

    /** Number of places. */
    int places() {
        return rates.size();
    }

    /** Bytes per second of a place. */
    double rate(int place) {
        return rates.get(place);
    }

    /** The places through which bytes from one node to another pass, in order. A place that they pass twice is there twice. */
    int[] path(int from, int to) {
        int one = from / group;
        int other = to / group;
        return one == other
                ? new int[] {out[from], in[to]}
                : new int[] {out[from], leaving[one], entering[other], in[to]};
    }

    /** The time of a byte from one node to another, without that in queues. */
    long latencyNanos(int from, int to) {
        int one = from / group;
        int other = to / group;
        long outside = one == other ? 0 : outsideNanos[one] + outsideNanos[other];
        return insideNanos[from] + insideNanos[to] + outside;
    }

    /** Bytes per second between two nodes while nothing else moves, as a measurement would show it. */
    double rate(int from, int to) {
        int[] path = path(from, to);
        double least = Double.MAX_VALUE;
        for (int place : path) {
            long times = Arrays.stream(path).filter(other -> other == place).count();
            least = Math.min(least, rate(place) / times);
        }
        return least;
    }

    /** The measurements of all pairs, without noise. */
    public LinkMatrix matrix() {
        LinkMatrix.Builder matrix = LinkMatrix.builder(nodes);
        for (int from = 0; from < nodes; from++) {
            for (int to = 0; to < nodes; to++) {
                if (from != to) {
                    matrix.roundTrip(from, to, latencyNanos(from, to) + latencyNanos(to, from));
                    matrix.rate(from, to, Math.round(rate(from, to)));
                }
            }
        }
        return matrix.build();
    }
}
