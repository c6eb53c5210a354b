package io.hearth.collective.explain;

import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Gap;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a group would do with an uncompressed sum of some size, and why. Numbers in texts are ranks.
 *
 * @param members by rank, at least one
 * @param bytes of the sum
 * @param basis of the predictions
 * @param isInPlace whether the sum is large enough to be made in the caller's buffer
 * @param ways the chosen one first, then the others by predicted time, then those that do not come into question; empty for one member
 * @param plan from which the chosen way takes its order, shares or islands
 * @param hops of the chosen way, in the order of the ring or by rank, at most {@value #HOPS_MAX}
 * @param hopCount of all hops
 * @param gaps pairs that reported links, and none to each other
 * @param oneWay links that only one of two members reports, from that one; at most {@value #PAIRS_MAX}
 * @param unmeasured directions whose rate was not measured, at most {@value #PAIRS_MAX}
 * @param unmeasuredCount of all these directions
 * @param silent ranks of members that reported no link at all
 */
public record SumExplanation(
        List<NodeId> members,
        long bytes,
        Basis basis,
        boolean isInPlace,
        List<Way> ways,
        Plan plan,
        List<Hop> hops,
        int hopCount,
        List<Gap> gaps,
        List<Pair> oneWay,
        List<Pair> unmeasured,
        int unmeasuredCount,
        List<Integer> silent) {
    /** Most hops that are listed. */
    public static final int HOPS_MAX = 1_024;

    /** Most pairs that a list has. */
    public static final int PAIRS_MAX = 256;

    public SumExplanation {
        members = List.copyOf(members);
        ways = List.copyOf(ways);
        hops = List.copyOf(hops);
        gaps = List.copyOf(gaps);
        oneWay = List.copyOf(oneWay);
        unmeasured = List.copyOf(unmeasured);
        silent = List.copyOf(silent);
    }

    /** The numbers from which times are predicted. */
    public enum Basis {
        /** One member alone: a sum needs no link. */
        ALONE("one member alone: a sum needs no link"),

        /** The rate of each direction between two members is measured. */
        MEASURED("every link between these members is measured"),

        /** Some rates are measured, and the others count as the median of these. */
        PARTLY("some links are not measured: they count as the median of the measured ones"),

        /** Round trips are measured and no rate is; times follow from assumed rates. */
        ROUND_TRIPS("no rate is measured, only round trips: times are assumed ones, for Ethernet of 1 Gbit/s"),

        /** Nothing is measured; times follow from assumed rates. */
        NOTHING("nothing is measured: times are assumed ones, for Ethernet of 1 Gbit/s"),

        /** All members are on one machine, whose processor is the limit. */
        ONE_MACHINE(
                "all members are on one machine: its processor is the limit, links do not count; times are assumed ones");

        private final String text;

        Basis(String text) {
            this.text = text;
        }

        /** The statement for a person. */
        public String text() {
            return text;
        }

        /** Whether times follow from measured rates. */
        public boolean isMeasured() {
            return this == MEASURED || this == PARTLY;
        }
    }

    /**
     * A way to make the sum.
     *
     * @param algorithm {@code ring}, {@code direct}, {@code islands}, {@code whole_exchange}, {@code tree} or {@code star}
     * @param nanos predicted time, or the assumed one if the basis is not measured; empty if the way is impossible or not considered
     * @param reason what limits it, or why it does not come into question
     */
    public record Way(String algorithm, OptionalLong nanos, String reason) {
        /** The algorithm in words. */
        public String text() {
            return switch (algorithm) {
                case "direct" -> "direct sum";
                case "whole_exchange" -> "whole exchange";
                default -> algorithm;
            };
        }
    }

    /**
     * Bytes from one member to another.
     *
     * @param from rank
     * @param to rank
     * @param share bytes over this hop for each byte of the sum
     * @param bytesPerSecond measured rate with which the plan counts, the lower of what both ends say; empty if not measured
     */
    public record Hop(int from, int to, double share, OptionalLong bytesPerSecond) {}

    /** One direction between two ranks. */
    public record Pair(int from, int to) {}

    /** The way that the group would take; empty for one member, or if no way connects all of them. */
    public Optional<Way> chosen() {
        return ways.stream().filter(way -> way.nanos().isPresent()).findFirst();
    }

    /** The next best way; empty if there is none. */
    public Optional<Way> runnerUp() {
        return ways.stream().filter(way -> way.nanos().isPresent()).skip(1).findFirst();
    }

    /** Pairs of members that exchange bytes. Each has one data stream, in both directions. */
    public int streams() {
        return (int) hops.stream()
                .map(hop -> new Pair(Math.min(hop.from(), hop.to()), Math.max(hop.from(), hop.to())))
                .distinct()
                .count();
    }
}
