package io.hearth.topology.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which share of the buffer each of some ranks owns in a direct sum, so that slow links finish together with fast ones.
 *
 * <p>Rank i with the share w_i sends its values of share j to rank j, and later its reduced share to all. So the link from i to j carries
 * w_i + w_j for each byte of the buffer, and a port among k ranks 1 + (k-2) w_i in each direction. The time is that of the slowest place of
 * the {@link Network}. BytePS ("A unified architecture for accelerating distributed DNN training in heterogeneous GPU/CPU clusters", OSDI
 * 2020) splits ownership between fast and slow machines in this way.
 *
 * <p>Water-filling gives the best shares for ports alone, and a bound that no shares can beat. If another place is slower, the least time over
 * all places is a matrix game: shares against places, see {@link MatrixGame}. Only few places matter, so it starts with the slowest ones and
 * adds those that the result overloads.
 */
final class Ownership {
    /** Unequal shares must save this part of the time; otherwise measurement noise would decide. */
    private static final double GAIN_MIN = 0.03;

    /** A smaller share is not worth a message, nor one below a quarter of an equal share. */
    private static final double SHARE_MIN = 0.01;

    private static final double SHARE_OF_EQUAL_MIN = 0.25;
    private static final double CLOSE_TO_BOUND = 1.002;
    private static final int BISECTIONS = 64;
    private static final int GAME_RANKS_MAX = 64;
    private static final int GAME_ROUNDS_MAX = 24;
    private static final long GAME_STEPS = 20_000_000;

    private final Network network;
    private final int[] among;
    private final double[][] base;
    private final double[][] flow;
    private final double[] port;
    private final double[] portAmong;
    private final double[] besides; // what a port moves of base, in the busier direction
    private final Work work;

    /**
     * Shares of a plan.
     *
     * @param weights as in {@link Plan#weights}, empty if equal ones are as good
     * @param worst the slowest place with these weights
     */
    record Shares(List<Integer> weights, Limit worst) {}

    /**
     * For some ranks.
     *
     * @param among two ranks or more, rising
     * @param base what else passes, from row to column
     */
    Ownership(Network network, int[] among, double[][] base, Work work) {
        this.network = network;
        this.among = among;
        this.base = base;
        this.flow = new double[network.world()][network.world()];
        this.port = Arrays.stream(among).mapToDouble(network::port).toArray();
        this.portAmong = Arrays.stream(among)
                .mapToDouble(rank -> network.port(rank, among))
                .toArray();
        this.besides =
                Arrays.stream(among).mapToDouble(rank -> besides(base, rank)).toArray();
        this.work = work;
    }

    private static double besides(double[][] base, int rank) {
        double received = Arrays.stream(base).mapToDouble(row -> row[rank]).sum();
        return Math.max(Arrays.stream(base[rank]).sum(), received);
    }

    /** Good shares, with their exact prediction. */
    Shares best() {
        double[] equal = equal();
        Limit worstOfEqual = worst(equal);
        if (among.length == 2 || Double.isInfinite(worstOfEqual.picos())) {
            return new Shares(List.of(), worstOfEqual);
        }
        double bound = portsBound(equal);
        double[] best = equal;
        double bestPicos = worstOfEqual.picos();
        double[] filled = filled(bound);
        double filledPicos = worst(filled).picos();
        if (filledPicos < bestPicos) {
            best = filled;
            bestPicos = filledPicos;
        }
        if (bestPicos > bound * CLOSE_TO_BOUND && among.length <= GAME_RANKS_MAX) {
            double[] played = played(best);
            best = worst(played).picos() < bestPicos ? played : best;
        }
        List<Integer> weights = rounded(best);
        Limit worst = worst(weights);
        return worst.picos() > (1 - GAIN_MIN) * worstOfEqual.picos()
                ? new Shares(List.of(), worstOfEqual)
                : new Shares(weights, worst);
    }

    /** The slowest place with these weights; empty: equal ones. */
    Limit worst(List<Integer> weights) {
        return worst(
                weights.isEmpty()
                        ? equal()
                        : weights.stream()
                                .mapToDouble(weight -> (double) weight / Plan.WEIGHTS_SUM)
                                .toArray());
    }

    private Limit worst(double[] shares) {
        fill(shares);
        return network.worst(flow, among);
    }

    private void fill(double[] shares) {
        for (int rank = 0; rank < flow.length; rank++) {
            System.arraycopy(base[rank], 0, flow[rank], 0, flow.length);
        }
        for (int i = 0; i < among.length; i++) {
            for (int j = 0; j < among.length; j++) {
                flow[among[i]][among[j]] += i == j ? 0 : shares[i] + shares[j];
            }
        }
    }

    private double[] equal() {
        var shares = new double[among.length];
        Arrays.fill(shares, 1.0 / among.length);
        return shares;
    }

    /** The least time at which the ports alone have room for the whole buffer. */
    private double portsBound(double[] equal) {
        double low = portsPicos(new double[among.length]);
        double high = portsPicos(equal);
        for (int i = 0; i < BISECTIONS && low < high; i++) {
            double middle = low + (high - low) / 2;
            if (Arrays.stream(room(middle)).sum() >= 1) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    private double portsPicos(double[] shares) {
        double picos = 0;
        for (int i = 0; i < among.length; i++) {
            double shared = 1 + (among.length - 2) * shares[i];
            picos = Math.max(picos, (besides[i] + shared) * port[i]);
            picos = Math.max(picos, shared * portAmong[i]);
        }
        return picos;
    }

    /** The largest share that each port can take in this time. */
    private double[] room(double picos) {
        var room = new double[among.length];
        for (int i = 0; i < among.length; i++) {
            double all = picos / port[i] - besides[i];
            double shared = Math.min(all, picos / portAmong[i]);
            room[i] = Math.clamp((shared - 1) / (among.length - 2), 0, 1);
        }
        return room;
    }

    private double[] filled(double picos) {
        double[] room = room(picos);
        double sum = Arrays.stream(room).sum();
        return sum > 0 ? Arrays.stream(room).map(share -> share / sum).toArray() : equal();
    }

    private double[] played(double[] start) {
        work.allow(GAME_STEPS);
        var places = new ArrayList<Limit>();
        var rows = new ArrayList<double[]>();
        double[] best = start;
        double bestPicos = Double.POSITIVE_INFINITY;
        double[] shares = start;
        double value = 0;
        for (int round = 0; round < GAME_ROUNDS_MAX && work.isLeft(); round++) {
            fill(shares);
            var slow = new ArrayList<Limit>();
            double least = value * CLOSE_TO_BOUND;
            network.each(flow, among, limit -> {
                if (limit.picos() > least) {
                    slow.add(limit);
                }
            });
            double picos = slow.stream().mapToDouble(Limit::picos).max().orElse(0);
            if (slow.isEmpty() || picos < bestPicos) {
                best = shares;
                bestPicos = slow.isEmpty() ? 0 : picos;
            }
            List<Limit> added = slow.stream()
                    .sorted(Comparator.comparingDouble(Limit::picos).reversed())
                    .filter(limit -> places.stream().noneMatch(limit::isPlaceOf))
                    .limit(2L * among.length)
                    .toList();
            if (added.isEmpty()) {
                return best;
            }
            for (Limit limit : added) {
                places.add(limit);
                rows.add(row(limit, shares));
            }
            var game = new MatrixGame(rows, work);
            shares = game.shares();
            value = game.value();
        }
        return best;
    }

    /** Picoseconds of a place for each share alone. */
    private double[] row(Limit limit, double[] shares) {
        var row = new double[among.length];
        double shared = 0;
        for (int i = 0; i < among.length; i++) {
            for (int j = 0; j < among.length; j++) {
                if (i != j && network.passes(among[i], among[j], limit)) {
                    row[i] += 1;
                    row[j] += 1;
                    shared += shares[i] + shares[j];
                }
            }
        }
        double besides = Math.max(0, limit.share() - shared);
        for (int i = 0; i < among.length; i++) {
            row[i] = (row[i] + besides) * limit.picosPerByte();
        }
        return row;
    }

    /** Whole numbers of the right sum: rounded down, then one more for those that lost most (largest remainder). */
    private List<Integer> rounded(double[] shares) {
        double least = Math.min(SHARE_MIN, SHARE_OF_EQUAL_MIN / among.length);
        double[] kept =
                Arrays.stream(shares).map(share -> share < least ? 0 : share).toArray();
        double sum = Arrays.stream(kept).sum();
        double[] exact =
                Arrays.stream(kept).map(share -> share / sum * Plan.WEIGHTS_SUM).toArray();
        int[] weights = Arrays.stream(exact).mapToInt(share -> (int) share).toArray();
        int left = Plan.WEIGHTS_SUM - Arrays.stream(weights).sum();
        IntStream.range(0, exact.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> weights[i] - exact[i]))
                .limit(Math.max(0, left))
                .forEach(i -> weights[i]++);
        return Arrays.stream(weights).boxed().toList();
    }
}
