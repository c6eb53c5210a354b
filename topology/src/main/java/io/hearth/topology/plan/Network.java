package io.hearth.topology.plan;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The places at which bytes queue, derived from the rates between pairs.
 *
 * <p>A rank's port is as fast as its fastest link, in each direction alone: a switch is full duplex. Two islands of a {@link Partition} share
 * one wire, which is as fast as the fastest link between them. An island of several ranks shares one line to all other such islands, and
 * a machine to all others; it is as fast as the fastest of these links.
 */
final class Network {
    private static final double PICOS_PER_SECOND = 1e12;

    private final int world;
    private final double[][] link; // picoseconds per byte; infinite without a working link
    private final double[] out;
    private final double[] in;
    private final List<Partition> partitions;
    private final List<double[][]>
            cuts; // of each partition, from island to island; the diagonal is to and from all others
    private final Work work;

    Network(LinkMatrix links, double stepMin, Work work) {
        this.world = links.world();
        this.work = work;
        this.link = new double[world][world];
        this.out = filled(world);
        this.in = filled(world);
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                long rate = links.rate(from, to);
                link[from][to] = rate == 0 ? Double.POSITIVE_INFINITY : PICOS_PER_SECOND / rate;
                out[from] = Math.min(out[from], link[from][to]);
                in[to] = Math.min(in[to], link[from][to]);
            }
        }
        this.partitions = Partition.of(links, stepMin);
        this.cuts = partitions.stream().map(this::cuts).toList();
    }

    private static double[] filled(int size) {
        var values = new double[size];
        Arrays.fill(values, Double.POSITIVE_INFINITY);
        return values;
    }

    private double[][] cuts(Partition partition) {
        var cuts = new double[partition.count()][];
        Arrays.setAll(cuts, _ -> filled(partition.count()));
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                int a = partition.island(from);
                int b = partition.island(to);
                if (a != b) {
                    cuts[a][b] = Math.min(cuts[a][b], link[from][to]);
                }
            }
        }
        return cuts;
    }

    int world() {
        return world;
    }

    List<Partition> partitions() {
        return partitions;
    }

    /** Picoseconds per byte of one direction; infinite without a working link. */
    double link(int from, int to) {
        return link[from][to];
    }

    /** Picoseconds per byte of the slower direction. */
    double both(int one, int other) {
        return Math.max(link[one][other], link[other][one]);
    }

    /** Picoseconds per byte of a rank's port, in the slower direction. */
    double port(int rank) {
        return Math.max(out[rank], in[rank]);
    }

    /** As {@link #port}, with the links to these ranks alone. */
    double port(int rank, int[] among) {
        return Math.max(leastAmong(rank, among, true), leastAmong(rank, among, false));
    }

    private double leastAmong(int rank, int[] among, boolean isSender) {
        double least = Double.POSITIVE_INFINITY;
        for (int other : among) {
            least = other == rank ? least : Math.min(least, isSender ? link[rank][other] : link[other][rank]);
        }
        return least;
    }

    /** Where bytes take longest. */
    Limit worst(double[][] flow, int[] among) {
        var worst = new Limit[] {new Limit(Limit.Kind.LINK, 0, 0, 0, 0, 0)};
        each(flow, among, limit -> worst[0] = limit.picos() > worst[0].picos() ? limit : worst[0]);
        return worst[0];
    }

    /**
     * Visits all places through which bytes pass.
     *
     * @param flow bytes from row to column for each byte of the buffer
     * @param among ranks that exchange shares; their links to each other form another port than those to the members of their islands
     */
    void each(double[][] flow, int[] among, Consumer<Limit> visitor) {
        work.spend((long) world * world * (1 + partitions.size()));
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (flow[from][to] > 0) {
                    visitor.accept(new Limit(Limit.Kind.LINK, 0, from, to, flow[from][to], link[from][to]));
                }
            }
        }
        var ranks = new int[world];
        Arrays.setAll(ranks, rank -> rank);
        ports(flow, ranks, Limit.Kind.SENDER, Limit.Kind.RECEIVER, visitor);
        if (among.length < world) {
            ports(flow, among, Limit.Kind.SENDER_AMONG, Limit.Kind.RECEIVER_AMONG, visitor);
        }
        for (int p = 0; p < partitions.size(); p++) {
            crossings(flow, p, visitor);
        }
    }

    private void ports(double[][] flow, int[] among, Limit.Kind sender, Limit.Kind receiver, Consumer<Limit> visitor) {
        for (int rank : among) {
            double sent = 0;
            double received = 0;
            for (int other : among) {
                sent += flow[rank][other];
                received += flow[other][rank];
            }
            boolean isAll = among.length == world;
            if (sent > 0) {
                double least = isAll ? out[rank] : leastAmong(rank, among, true);
                visitor.accept(new Limit(sender, 0, rank, rank, sent, least));
            }
            if (received > 0) {
                double least = isAll ? in[rank] : leastAmong(rank, among, false);
                visitor.accept(new Limit(receiver, 0, rank, rank, received, least));
            }
        }
    }

    private void crossings(double[][] flow, int p, Consumer<Limit> visitor) {
        Partition partition = partitions.get(p);
        var sums = new double[partition.count()][partition.count()];
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                sums[partition.island(from)][partition.island(to)] += flow[from][to];
            }
        }
        for (int a = 0; a < partition.count(); a++) {
            double leaving = 0;
            double entering = 0;
            double leavingPicos = Double.POSITIVE_INFINITY;
            double enteringPicos = Double.POSITIVE_INFINITY;
            for (int b = 0; b < partition.count(); b++) {
                if (partition.sharesLine(a, b)) {
                    leaving += sums[a][b];
                    entering += sums[b][a];
                    leavingPicos = Math.min(leavingPicos, cuts.get(p)[a][b]);
                    enteringPicos = Math.min(enteringPicos, cuts.get(p)[b][a]);
                }
                if (a != b && sums[a][b] > 0) {
                    visitor.accept(new Limit(Limit.Kind.CUT, p, a, b, sums[a][b], cuts.get(p)[a][b]));
                }
            }
            if (leaving > 0) {
                visitor.accept(new Limit(Limit.Kind.LEAVING, p, a, a, leaving, leavingPicos));
            }
            if (entering > 0) {
                visitor.accept(new Limit(Limit.Kind.ENTERING, p, a, a, entering, enteringPicos));
            }
        }
    }

    /** Whether the bytes from one rank to another, which both exchange shares, pass a place. */
    boolean passes(int from, int to, Limit limit) {
        return switch (limit.kind()) {
            case LINK -> from == limit.from() && to == limit.to();
            case SENDER, SENDER_AMONG -> from == limit.from();
            case RECEIVER, RECEIVER_AMONG -> to == limit.from();
            case CUT -> island(limit, from) == limit.from() && island(limit, to) == limit.to();
            case LEAVING -> island(limit, from) == limit.from() && sharesLine(from, to, limit);
            case ENTERING -> island(limit, to) == limit.from() && sharesLine(from, to, limit);
        };
    }

    private boolean sharesLine(int from, int to, Limit limit) {
        return partitions.get(limit.partition()).sharesLine(island(limit, from), island(limit, to));
    }

    private int island(Limit limit, int rank) {
        return partitions.get(limit.partition()).island(rank);
    }
}
