package io.hearth.simulation;

import io.hearth.collective.Refusal;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/** What goes over the streams of a group; {@code fence} is lineage and group epoch, as in the keys of real streams. */
sealed interface Frame {
    String fence();

    long number();

    /** One member's input. */
    record Input(String fence, long number, NodeId from, Share share) implements Frame {}

    /** A result for those who lack it. */
    record Carried(String fence, long number, Sum sum) implements Frame {}

    /** One member holds a result that is carried. */
    record Held(String fence, long number, NodeId from) implements Frame {}

    /**
     * An input.
     *
     * @param value what is summed
     * @param model of the trainer when it called: all that went into it, as one number
     * @param doomed why the number is to end without a result
     */
    record Share(long value, long model, Optional<Refusal> doomed) {}

    /**
     * A result.
     *
     * @param fence in which it was summed
     * @param groupEpoch of that fence
     * @param contributors whose inputs are in it, by rank
     */
    record Sum(String fence, long groupEpoch, long value, List<NodeId> contributors) {}
}
