package io.hearth.simulation;

import io.hearth.collective.group.CallRejection;
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

    /** What one member says that it holds at the beginning of a step; {@code doomed} as in {@link Share}. */
    record Claimed(String fence, long number, NodeId from, Claim claim, Optional<CallRejection> doomed)
            implements Frame {}

    /** One member lacks a chunk of the state that all agreed on, or its manifest. */
    record Ask(String fence, long number, NodeId from, int chunk) implements Frame {}

    /** The chunk of one who was asked; a manifest's {@code bits} are the whole model's, as which it is known. */
    record Chunk(String fence, long number, NodeId from, int chunk, long bits) implements Frame {}

    /** One member holds a result that is carried, the value of a broadcast, or the state of a step. */
    record Held(String fence, long number, NodeId from) implements Frame {}

    /**
     * An input.
     *
     * @param value what is summed; in a broadcast the root's counts; where each rank gets a part of its own, what is for the receiver
     * @param model of the trainer when it called: all that went into it, as one number
     * @param doomed why the number is to end without a result
     */
    record Share(long value, long model, Optional<CallRejection> doomed) {}

    /**
     * A state.
     *
     * @param revision steps that are in it
     * @param model all that went into it, as one number
     * @param joined its holder began no step of this lineage yet
     */
    record Claim(long revision, long model, boolean joined) {
        /** Whether it is the same state, whatever its number. */
        boolean isSameStateAs(Claim other) {
            return model == other.model;
        }
    }

    /**
     * A result.
     *
     * @param fence in which its exchange was
     * @param groupEpoch of that fence
     * @param contributors who took part
     */
    record Sum(String fence, long groupEpoch, long value, List<NodeId> contributors) {
        /** What is passed on where all hold the result and nobody keeps it. */
        static final Sum NOTHING = new Sum("", 0, 0, List.of());

        /** The same with another value. */
        Sum with(long other) {
            return new Sum(fence, groupEpoch, other, contributors);
        }
    }
}
