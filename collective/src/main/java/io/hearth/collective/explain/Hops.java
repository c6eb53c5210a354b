package io.hearth.collective.explain;

import io.hearth.collective.explain.SumExplanation.Hop;
import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** The bytes that an all-reduce sends from rank to rank, for each byte of the sum. */
final class Hops {
    private final LinkMatrix links;
    private final Plan plan;
    private final int world;
    private final List<Hop> hops = new ArrayList<>();

    private Hops(LinkMatrix links, Plan plan) {
        this.links = links;
        this.plan = plan;
        this.world = links.world();
    }

    /** All hops of an algorithm that follows this plan. */
    static List<Hop> of(AllReduceAlgorithm algorithm, Plan plan, LinkMatrix links) {
        var made = new Hops(links, plan);
        switch (algorithm) {
            case RING -> made.ring();
            case DIRECT -> made.direct();
            case ISLANDS -> made.islands();
            case WHOLE_EXCHANGE -> made.wholeExchange();
            case TREE -> made.tree();
            case STAR -> made.star();
        }
        return made.hops;
    }

    /** The ranks in the order of the ring. */
    static List<Integer> order(Plan plan, int world) {
        return plan.order().isEmpty() ? IntStream.range(0, world).boxed().toList() : plan.order();
    }

    private void ring() {
        List<Integer> order = order(plan, world);
        for (int i = 0; i < world; i++) {
            add(order.get(i), order.get((i + 1) % world), 2.0 * (world - 1) / world);
        }
    }

    private void direct() {
        List<Integer> all = IntStream.range(0, world).boxed().toList();
        exchange(all, plan.weights());
    }

    /** Each rank sends the others their shares, and then its sum. */
    private void exchange(List<Integer> among, List<Integer> weights) {
        for (int one = 0; one < among.size(); one++) {
            for (int other = 0; other < among.size(); other++) {
                double share = share(weights, one, among.size()) + share(weights, other, among.size());
                if (one != other && share > 0) {
                    add(among.get(one), among.get(other), share);
                }
            }
        }
    }

    private static double share(List<Integer> weights, int index, int count) {
        return weights.isEmpty() ? 1.0 / count : (double) weights.get(index) / Plan.WEIGHTS_SUM;
    }

    private void islands() {
        for (int rank = 0; rank < world; rank++) {
            both(rank, plan.islands().get(rank));
        }
        exchange(plan.leaders(), plan.leaderWeights());
    }

    private void wholeExchange() {
        for (int one = 0; one < world; one++) {
            for (int other = 0; other < world; other++) {
                if (one != other) {
                    add(one, other, 1);
                }
            }
        }
    }

    /** The parent of position p in a binomial tree is p without its lowest bit. */
    private void tree() {
        List<Integer> order = order(plan, world);
        for (int position = 1; position < world; position++) {
            both(order.get(position), order.get(position - Integer.lowestOneBit(position)));
        }
    }

    private void star() {
        List<Integer> order = order(plan, world);
        for (int position = 1; position < world; position++) {
            both(order.get(position), order.getFirst());
        }
    }

    private void both(int one, int other) {
        if (one != other) {
            add(one, other, 1);
            add(other, one, 1);
        }
    }

    private void add(int from, int to, double share) {
        long rate = links.bytesPerSecond(from, to);
        hops.add(new Hop(from, to, share, rate > 0 ? OptionalLong.of(rate) : OptionalLong.empty()));
    }
}
