package io.hearth.topology.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** Predicts what a given plan costs on given links. */
final class Predictor {
    private static final String UNMEASURED = "no link between these ranks has a measured rate";

    private final LinkMatrix links;
    private final Network network;
    private final Work work;

    Predictor(LinkMatrix links, double stepMin, Work work) {
        this.links = links;
        this.network = new Network(links, stepMin, work);
        this.work = work;
    }

    Network network() {
        return network;
    }

    /**
     * Costs of all structures of a plan.
     *
     * @param plan of this world
     */
    PlanCosts costs(Plan plan) {
        return new PlanCosts(
                ring(plan.order()).route(),
                direct(plan.weights()).route(),
                islands(plan.islands(), plan.leaderWeights()).route(),
                pair());
    }

    /** The ring in this order; empty: rank order. */
    Candidate ring(List<Integer> order) {
        int world = links.world();
        List<Integer> ring = order.isEmpty() ? IntStream.range(0, world).boxed().toList() : order;
        var flow = new double[world][world];
        for (int i = 0; i < world; i++) {
            flow[ring.get(i)][ring.get((i + 1) % world)] = 1;
        }
        Route blocked = blocked(flow);
        if (!blocked.isPossible()) {
            return new Candidate(Structure.RING, blocked, "no ring of working links was found: " + gap(flow));
        }
        Limit worst = network.worst(flow, everyone());
        return candidate(Structure.RING, worst, ringAlphaNanos(ring), worst.hopText(network));
    }

    /** The mean of all known hops: what travels round the ring passes each of them as often as any other. */
    private long ringAlphaNanos(List<Integer> ring) {
        int world = ring.size();
        long twice = 0;
        int known = 0;
        for (int i = 0; i < world; i++) {
            int from = ring.get(i);
            int to = ring.get((i + 1) % world);
            long roundTrip = Math.max(links.roundTripNanos(from, to), links.roundTripNanos(to, from));
            twice += roundTrip;
            known += roundTrip > 0 ? 1 : 0;
        }
        return known == 0 ? 0 : Math.ceilDiv(twice, 2L * known);
    }

    /** The direct sum with these weights; empty: equal ones. */
    Candidate direct(List<Integer> weights) {
        double[][] flow = directFlow(everyone());
        Route blocked = blocked(flow);
        if (!blocked.isPossible()) {
            return new Candidate(Structure.DIRECT, blocked, "each pair needs a link: " + gap(flow));
        }
        var nothing = new double[links.world()][links.world()];
        Limit worst = new Ownership(network, everyone(), nothing, work).worst(weights);
        String shares = weights.isEmpty() ? "" : "; " + owners(weights);
        return candidate(Structure.DIRECT, worst, alphaNanos(flow), worst.text(network) + shares);
    }

    /** The islands with these leaders. */
    Candidate islands(List<Integer> islands, List<Integer> leaderWeights) {
        if (islands.isEmpty()) {
            return new Candidate(
                    Structure.ISLANDS,
                    links.hasRates() ? Route.NEVER : Route.UNKNOWN,
                    links.hasRates() ? "no ranks are closer to each other than to the rest" : UNMEASURED);
        }
        int[] leaders =
                islands.stream().mapToInt(Integer::intValue).distinct().sorted().toArray();
        double[][] flow = directFlow(leaders);
        double[][] base = memberFlow(islands);
        for (int rank = 0; rank < base.length; rank++) {
            for (int other = 0; other < base.length; other++) {
                flow[rank][other] += base[rank][other];
            }
        }
        Route blocked = blocked(flow);
        if (!blocked.isPossible()) {
            return new Candidate(Structure.ISLANDS, blocked, "leaders need links: " + gap(flow));
        }
        Limit worst = new Ownership(network, leaders, base, work).worst(leaderWeights);
        String led = "; led by ranks " + Arrays.toString(leaders);
        return candidate(Structure.ISLANDS, worst, alphaNanos(flow), worst.text(network) + led);
    }

    /** The slowest of all working links. */
    Route pair() {
        int world = links.world();
        var flow = new double[world][world];
        double picos = 0;
        for (int from = 0; from < world; from++) {
            for (int to = 0; to < world; to++) {
                if (from != to && links.reachable(from, to)) {
                    flow[from][to] = 1;
                    picos = Math.max(picos, network.link(from, to));
                }
            }
        }
        if (world > 1 && Arrays.stream(flow).flatMapToDouble(Arrays::stream).sum() == 0) {
            return Route.NEVER;
        }
        return links.hasRates() ? route(picos, alphaNanos(flow)) : new Route(alphaNanos(flow), 0);
    }

    /** Every member sends the buffer to its leader and receives the result from it. */
    static double[][] memberFlow(List<Integer> islands) {
        var flow = new double[islands.size()][islands.size()];
        for (int rank = 0; rank < islands.size(); rank++) {
            int leader = islands.get(rank);
            if (leader != rank) {
                flow[rank][leader] = 1;
                flow[leader][rank] = 1;
            }
        }
        return flow;
    }

    private double[][] directFlow(int[] among) {
        var flow = new double[links.world()][links.world()];
        for (int one : among) {
            for (int other : among) {
                flow[one][other] = one == other ? 0 : 1;
            }
        }
        return flow;
    }

    private int[] everyone() {
        return IntStream.range(0, links.world()).toArray();
    }

    private Candidate candidate(Structure structure, Limit worst, long alphaNanos, String reason) {
        return links.hasRates()
                ? new Candidate(structure, route(worst.picos(), alphaNanos), reason)
                : new Candidate(structure, new Route(alphaNanos, 0), UNMEASURED);
    }

    private static Route route(double picos, long alphaNanos) {
        long whole = (long) Math.ceil(picos); // saturates
        return whole == Long.MAX_VALUE ? Route.NEVER : new Route(alphaNanos, Math.max(1, whole));
    }

    /** {@link Route#NEVER} if bytes pass between ranks without a working link. */
    private Route blocked(double[][] flow) {
        return gap(flow).isEmpty() ? Route.UNKNOWN : Route.NEVER;
    }

    private String gap(double[][] flow) {
        for (int from = 0; from < flow.length; from++) {
            for (int to = 0; to < flow.length; to++) {
                if (flow[from][to] > 0 && !links.reachable(from, to)) {
                    return new Gap(from, to, !links.reachable(to, from)).text();
                }
            }
        }
        return "";
    }

    private long alphaNanos(double[][] flow) {
        long worst = 0;
        for (int from = 0; from < flow.length; from++) {
            for (int to = 0; to < flow.length; to++) {
                if (flow[from][to] > 0) {
                    worst = Math.max(worst, links.roundTripNanos(from, to));
                    worst = Math.max(worst, links.roundTripNanos(to, from));
                }
            }
        }
        return worst / 2;
    }

    private static String owners(List<Integer> weights) {
        List<Integer> none = IntStream.range(0, weights.size())
                .filter(rank -> weights.get(rank) == 0)
                .boxed()
                .toList();
        double most = weights.stream().mapToInt(Integer::intValue).max().orElse(0);
        String shares = String.format(Locale.ROOT, "the largest share is %.1f %%", 100 * most / Plan.WEIGHTS_SUM);
        return none.isEmpty() ? shares : shares + ", ranks " + none + " own nothing";
    }
}
