package io.hearth.topology.bandwidth;

import java.util.Collection;

/**
 * How several flows through one port tell the rate of a link. TCP shares a full port evenly, so flows of about the same rate were probably
 * held up by the same port at the same time, and together they show its rate. A flow that is much faster was not held up by it.
 */
final class SharedPort {
    private static final int ALIKE = 2;
    private static final double FULL = 0.7;
    private static final double RAISES = 1.5;

    private SharedPort() {}

    /** Whether two rates are within a factor of {@value #ALIKE}. */
    static boolean areAlike(long one, long other) {
        return Math.max(one, other) <= ALIKE * Math.min(one, other);
    }

    /** Whether flows that are that fast together fill the port, which is at least as fast as the fastest known link. */
    static boolean isFull(double together, Collection<Long> known) {
        long fastest = known.stream().mapToLong(Long::longValue).max().orElse(0);
        return together >= FULL * (double) fastest;
    }

    /** Whether the rate of one flow shows that its link is faster than known. Flows that take turns would look faster together than it is. */
    static boolean raises(long rate, long known) {
        return (double) rate >= RAISES * (double) known;
    }

    /** The sum of the rates that are like this one, which is among them. */
    static long together(long rate, Collection<Long> rates) {
        return rates.stream()
                .filter(other -> areAlike(rate, other))
                .mapToLong(Long::longValue)
                .sum();
    }
}
