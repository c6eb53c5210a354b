package io.hearth.simulation.call;

import io.hearth.collective.group.CallRejection;
import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/** A frame on a stream of a group; {@code fence} is lineage and group epoch, as in the keys of real streams. */
public sealed interface GroupFrame {
    String fence();

    /** One member's input. */
    record Input(String fence, long number, NodeId from, Share share) implements GroupFrame {}

    /** A result for a member that lacks it. */
    record Carried(String fence, long number, Sum sum) implements GroupFrame {}

    /**
     * One member's claim of its state at the beginning of a step, or the beginning of an agreement on a plan.
     *
     * @param planBytes size of the plan that it proposes
     * @param doomed as in {@link Share}
     */
    record Claimed(String fence, long number, NodeId from, Claim claim, int planBytes, Optional<CallRejection> doomed)
            implements GroupFrame {}

    /** One member's row of the exchange of a plan: the plan if it leads the group, else nothing. */
    record Planned(String fence, long number, NodeId from, Bytes plan) implements GroupFrame {}

    /** A request for a chunk of the agreed state, or for its manifest. */
    record Ask(String fence, long number, NodeId from, int chunk) implements GroupFrame {}

    /** The answer to {@link Ask}; the {@code bits} of a manifest identify the whole model. */
    record Chunk(String fence, long number, NodeId from, int chunk, long bits) implements GroupFrame {}

    /** One member holds a forwarded result, the value of a broadcast, or the state of a step. */
    record Held(String fence, long number, NodeId from) implements GroupFrame {}

    /**
     * An input.
     *
     * @param value to sum; a broadcast uses only the root's; where each rank gets its own part, the part for the receiver
     * @param model of the trainer when it called: its history as one number
     * @param doomed the reason why the number must end without a result
     */
    record Share(long value, long model, Optional<CallRejection> doomed) {}

    /**
     * A state.
     *
     * @param revision steps that are in it
     * @param model its history as one number
     * @param joined whether its holder began no step of this lineage yet
     */
    record Claim(long revision, long model, boolean joined) {
        /** Whether both are the same state. */
        public boolean isSameStateAs(Claim other) {
            return model == other.model;
        }
    }

    /**
     * A result.
     *
     * @param fence in which its exchange was
     * @param groupEpoch of that fence
     * @param contributors members that took part
     */
    record Sum(String fence, long groupEpoch, long value, List<NodeId> contributors) {
        /** The empty result that is forwarded where all members hold the value and none keeps it. */
        public static final Sum NOTHING = new Sum("", 0, 0, List.of());

        /** The same with another value. */
        Sum with(long other) {
            return new Sum(fence, groupEpoch, other, contributors);
        }
    }
}
