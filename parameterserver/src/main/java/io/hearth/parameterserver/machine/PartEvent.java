package io.hearth.parameterserver.machine;

import com.google.protobuf.ByteString;

/** What happens to a part on one machine. */
public sealed interface PartEvent {
    /** The ledger has this assignment. */
    record Assigned(Assignment assignment) implements PartEvent {}

    /** The checkpoint is in the table. */
    record Loaded(long term, long index) implements PartEvent {}

    /** An update that the table would take; only when {@link PartState#canPropose}. */
    record Propose(ByteString update) implements PartEvent {}

    /** The holder answered an attempt. */
    record Answered(long attempt, boolean isAccepted, long holderTerm) implements PartEvent {}

    /** It did not. */
    record NotAnswered(long attempt) implements PartEvent {}

    /**
     * The primary sent something to this machine.
     *
     * @param call to be answered
     * @param index of the update, or of the last update in the copy
     */
    record Delivered(long call, long term, boolean isCopy, long index, ByteString body) implements PartEvent {}

    /** Time passed. */
    record Tick() implements PartEvent {}
}
