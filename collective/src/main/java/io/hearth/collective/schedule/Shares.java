package io.hearth.collective.schedule;

import java.util.List;

/** The elements of a buffer that each position owns: one range after the other, in the order of positions; a range may be empty. */
public final class Shares {
    /** starts[p] = first element of p's share; starts[world] = elements of the buffer. */
    private final long[] starts;

    private Shares(long[] starts) {
        this.starts = starts;
    }

    /**
     * Equal shares; if the elements do not divide evenly, the first shares have one element more.
     *
     * @param count elements of the buffer, 0 or more
     * @param world number of positions, 1 to 65,535
     */
    public static Shares equal(long count, int world) {
        check(count, world);
        long[] starts = new long[world + 1];
        for (int position = 0; position <= world; position++) {
            starts[position] = position * (count / world) + Math.min(position, count % world);
        }
        return new Shares(starts);
    }

    /**
     * Shares in proportion to weights, each rounded by less than one element.
     *
     * @param count elements of the buffer, 0 or more
     * @param weights one for each position, finite, 0 or more, not all 0
     */
    public static Shares weighted(long count, List<Double> weights) {
        check(count, weights.size());
        double sum = 0;
        for (double weight : weights) {
            if (!(weight >= 0 && weight <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException("each weight must be a finite number of 0 or more, got " + weight);
            }
            sum += weight;
        }
        if (!(sum > 0 && sum <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException("the sum of weights must be positive and finite, got " + sum);
        }
        long[] starts = new long[weights.size() + 1];
        double before = 0;
        for (int position = 0; position < weights.size(); position++) {
            double weight = weights.get(position);
            before += weight;
            long end = weight == 0 ? starts[position] : Math.round(count * (before / sum));
            starts[position + 1] = Math.clamp(end, starts[position], count);
        }
        int last = weights.size();
        while (weights.get(last - 1) == 0) {
            last--;
        }
        for (int position = last; position < starts.length; position++) {
            starts[position] = count;
        }
        return new Shares(starts);
    }

    /**
     * Shares of given lengths.
     *
     * @param counts elements of each position's share, 0 or more
     */
    public static Shares of(List<Long> counts) {
        check(0, counts.size());
        long[] starts = new long[counts.size() + 1];
        for (int position = 0; position < counts.size(); position++) {
            long count = counts.get(position);
            if (count < 0 || count > Long.MAX_VALUE - starts[position]) {
                throw new IllegalArgumentException(
                        "a share must have 0 or more elements without overflow, got " + count);
            }
            starts[position + 1] = starts[position] + count;
        }
        return new Shares(starts);
    }

    private static void check(long count, int world) {
        if (world < 1) {
            throw new IllegalArgumentException("need a share for at least one position, got none");
        }
        Segments.check(0, world);
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more elements, got " + count);
        }
    }

    /** Number of positions. */
    public int world() {
        return starts.length - 1;
    }

    /** Elements of the buffer. */
    public long total() {
        return starts[starts.length - 1];
    }

    /** First element of a share. */
    public long start(int position) {
        return starts[position];
    }

    /** Elements of a share. */
    public long count(int position) {
        return starts[position + 1] - starts[position];
    }

    /** Whether every position owns some elements, or the buffer is empty. */
    public boolean allOwn() {
        for (int position = 0; position < world(); position++) {
            if (count(position) == 0 && total() > 0) {
                return false;
            }
        }
        return true;
    }

    /** Elements of the largest share. */
    public long largest() {
        long most = 0;
        for (int position = 0; position < world(); position++) {
            most = Math.max(most, count(position));
        }
        return most;
    }
}
