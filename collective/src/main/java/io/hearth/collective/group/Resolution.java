package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Decision of a view change about a group with a new group epoch: the treatment of its open calls, and its plan.
 *
 * <p>Every open number that is not named here runs again from its input.
 *
 * @param first number of the next collective for a member that enters now
 * @param forwards numbers done at some members but not at all: their holders send the results; rising
 * @param refused numbers that ended without a result at some member: they end so at all members; rising
 * @param plan of the new group epoch; a plan for another number of ranks counts as {@link Plan#NONE}
 */
public record Resolution(long first, List<Forward> forwards, List<Rejected> refused, Plan plan) {
    /** For a group without any calls so far. */
    public static final Resolution NOTHING = new Resolution(1, List.of(), List.of());

    public Resolution {
        forwards = List.copyOf(forwards);
        refused = List.copyOf(refused);
        if (!Status.isNumber(first) || forwards.size() > Status.KEPT_MAX || refused.size() > Status.KEPT_MAX) {
            throw new IllegalArgumentException("a resolution needs first of 1 to " + Status.NUMBER_MAX + ", at most "
                    + Status.KEPT_MAX + " forwards and rejections each; got first " + first + ", " + forwards.size()
                    + " forwards and " + refused.size() + " rejections");
        }
        requireRising(forwards.stream().mapToLong(Forward::number));
        requireRising(refused.stream().mapToLong(Rejected::number));
    }

    private static void requireRising(LongStream numbers) {
        long before = 0;
        for (long number : numbers.toArray()) {
            if (number <= before) {
                throw new IllegalArgumentException("decided numbers must rise, got " + number + " after " + before);
            }
            before = number;
        }
    }

    /** A resolution with the plain plan. */
    public Resolution(long first, List<Forward> forwards, List<Rejected> refused) {
        this(first, forwards, refused, Plan.NONE);
    }

    /** The same with another plan. */
    public Resolution planned(Plan other) {
        return new Resolution(first, forwards, refused, other);
    }

    /**
     * The same without forwards whose holder is none of these members. A subgroup's members decide so: a report about it may be a lie of a
     * node that is no member.
     */
    public Resolution among(List<NodeId> members) {
        return new Resolution(
                first,
                forwards.stream()
                        .filter(forward -> members.contains(forward.holder()))
                        .toList(),
                refused,
                plan);
    }

    /**
     * A result that goes to the members that lack it.
     *
     * @param number of the collective
     * @param holder remaining member that has it
     * @param contributors number of members whose input is in it, lost ones included
     * @param bytes size of the result
     */
    public record Forward(long number, NodeId holder, int contributors, long bytes) {
        public Forward {
            if (!Status.isNumber(number) || contributors < 1 || !Status.isResult(contributors, bytes)) {
                throw new IllegalArgumentException(
                        "a forward needs a valid number, 1 or more contributors and a valid size; got number " + number
                                + ", " + contributors + " contributors and " + bytes + " bytes");
            }
        }
    }

    /** A number that ended without a result. */
    public record Rejected(long number, CallRejection refusal) {
        public Rejected {
            if (!Status.isNumber(number)) {
                throw new IllegalArgumentException("number must be 1 to " + Status.NUMBER_MAX + ", got " + number);
            }
        }
    }
}
