package io.hearth.collective;

import io.hearth.identity.NodeId;
import java.util.List;

/**
 * What a view change decided about the open work of a group that gets a new group epoch.
 *
 * <p>Everything not named here that is still open runs again from its inputs.
 *
 * @param first number of the next collective for a member that enters now
 * @param forwards done at some member and not at all: pulled from its holder, rising
 * @param refused ended without a result at some member: ends so at all, rising
 */
public record Resolution(long first, List<Forward> forwards, List<Refused> refused) {
    /** For a group in which nothing ever happened. */
    public static final Resolution NOTHING = new Resolution(1, List.of(), List.of());

    public Resolution {
        forwards = List.copyOf(forwards);
        refused = List.copyOf(refused);
        if (first < 1 || forwards.size() > Status.KEPT_MAX || refused.size() > Status.KEPT_MAX) {
            throw new IllegalArgumentException("no resolution has first number " + first + ", " + forwards.size()
                    + " forwards and " + refused.size() + " refusals");
        }
    }

    /**
     * A result that goes to those who lack it.
     *
     * @param number of the collective
     * @param holder kept member that has it
     * @param contributors members whose input is in it, whoever is left of them
     * @param bytes its size
     */
    public record Forward(long number, NodeId holder, int contributors, long bytes) {}

    /** A number that is used up. */
    public record Refused(long number, Refusal refusal) {}
}
