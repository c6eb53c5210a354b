package io.hearth.collective.group;

import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a view change decided about a group that gets a new group epoch: what becomes of its open work, and its ring.
 *
 * <p>Everything not named here that is still open runs again from its inputs.
 *
 * @param first number of the next collective for a member that enters now
 * @param forwards done at some member and not at all: pulled from its holder, rising
 * @param refused ended without a result at some member: ends so at all, rising
 * @param order hop order of the ring, as ranks; anything but a permutation of all ranks means rank order
 */
public record Resolution(long first, List<Forward> forwards, List<Refused> refused, List<Integer> order) {
    /** For a group in which nothing ever happened. */
    public static final Resolution NOTHING = new Resolution(1, List.of(), List.of());

    public Resolution {
        forwards = List.copyOf(forwards);
        refused = List.copyOf(refused);
        order = List.copyOf(order);
        if (!Status.isNumber(first)
                || forwards.size() > Status.KEPT_MAX
                || refused.size() > Status.KEPT_MAX
                || order.size() > View.MEMBERS_MAX
                || order.stream().anyMatch(rank -> rank < 0 || rank >= View.MEMBERS_MAX)) {
            throw new IllegalArgumentException("no resolution has first number " + first + ", " + forwards.size()
                    + " forwards, " + refused.size() + " refusals and ring " + order);
        }
        requireRising(forwards.stream().mapToLong(Forward::number));
        requireRising(refused.stream().mapToLong(Refused::number));
    }

    private static void requireRising(LongStream numbers) {
        long before = 0;
        for (long number : numbers.toArray()) {
            if (number <= before) {
                throw new IllegalArgumentException("decided numbers rise, got " + number + " after " + before);
            }
            before = number;
        }
    }

    /** With a ring in rank order. */
    public Resolution(long first, List<Forward> forwards, List<Refused> refused) {
        this(first, forwards, refused, List.of());
    }

    /** The same with another hop order. */
    public Resolution ordered(List<Integer> ranks) {
        return new Resolution(first, forwards, refused, ranks);
    }

    /**
     * A result that goes to those who lack it.
     *
     * @param number of the collective
     * @param holder kept member that has it
     * @param contributors members whose input is in it, whoever is left of them
     * @param bytes its size
     */
    public record Forward(long number, NodeId holder, int contributors, long bytes) {
        public Forward {
            if (!Status.isNumber(number) || contributors < 1 || !Status.isResult(contributors, bytes)) {
                throw new IllegalArgumentException("no result of number " + number + ", " + contributors
                        + " contributors and " + bytes + " bytes is forwarded");
            }
        }
    }

    /** A number that is used up. */
    public record Refused(long number, CallRejection refusal) {
        public Refused {
            if (!Status.isNumber(number)) {
                throw new IllegalArgumentException("no collective has number " + number);
            }
        }
    }
}
