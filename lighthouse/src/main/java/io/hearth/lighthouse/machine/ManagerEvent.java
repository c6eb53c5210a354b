package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.Quorum;
import io.hearth.serve.Failure;

/** Events of the manager of a replica group. Calls are numbered in the order in which they came. */
public sealed interface ManagerEvent {
    /**
     * A rank asks for the quorum of its next step.
     *
     * @param metadata where others get this rank's state
     * @param reconfigureHandle what its process group is reached by, or an empty text
     * @param untilNanos when the caller gives up
     */
    record AskQuorum(
            long call,
            long rank,
            long step,
            String metadata,
            boolean shrinkOnly,
            boolean initSync,
            long commitFailures,
            String reconfigureHandle,
            long untilNanos)
            implements ManagerEvent {}

    /** A member of another group asks where to get the state of a rank. */
    record AskMetadata(long call, long rank) implements ManagerEvent {}

    /** A rank says whether it can commit a step. */
    record Vote(long call, long rank, long step, boolean commits) implements ManagerEvent {}

    /** The caller is gone, or its time is up. */
    record Ended(long call) implements ManagerEvent {}

    /** The lighthouse answered the request of this round. */
    record Answered(long round, Quorum quorum) implements ManagerEvent {}

    /** It did not. */
    record NotAnswered(long round, Failure why) implements ManagerEvent {}

    record Tick() implements ManagerEvent {}
}
