package io.hearth.topology.plan;

import java.util.List;

/** The criteria of a ring, in order: its most expensive hop, the number of hops of that cost, the sum of all hops. */
record RingPrice(long worst, int worstHops, long sum) implements Comparable<RingPrice> {
    static RingPrice of(long[][] costs, List<Integer> ring) {
        long worst = 0;
        int worstHops = 0;
        long sum = 0;
        for (int i = 0; i < ring.size(); i++) {
            long cost = costs[ring.get(i)][ring.get((i + 1) % ring.size())];
            if (cost > worst) {
                worst = cost;
                worstHops = 0;
            }
            worstHops += cost == worst ? 1 : 0;
            sum += cost;
        }
        return new RingPrice(worst, worstHops, sum);
    }

    @Override
    public int compareTo(RingPrice other) {
        int byWorst = Long.compare(worst, other.worst);
        int byHops = byWorst != 0 ? byWorst : Integer.compare(worstHops, other.worstHops);
        return byHops != 0 ? byHops : Long.compare(sum, other.sum);
    }
}
