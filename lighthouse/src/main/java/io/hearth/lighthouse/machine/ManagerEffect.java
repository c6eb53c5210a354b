package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.QuorumResult;
import io.hearth.serve.Failure;
import java.util.List;

/** Effects that the shell of a manager carries out. */
public sealed interface ManagerEffect {
    /**
     * Ask the lighthouse, over a new connection if it is a repetition.
     *
     * @param reconfigureHandles of the ranks, in their order; empty if none has one
     * @param untilNanos when to give up
     */
    record AskLighthouse(
            long round,
            long step,
            boolean shrinkOnly,
            long commitFailures,
            List<String> reconfigureHandles,
            long untilNanos,
            boolean isRepetition)
            implements ManagerEffect {}

    /** Cancel this round's call to the lighthouse, because all its callers have left. */
    record StopAsking(long round) implements ManagerEffect {}

    record AnswerQuorum(long call, QuorumResult result) implements ManagerEffect {}

    record AnswerMetadata(long call, String metadata) implements ManagerEffect {}

    record AnswerVote(long call, boolean commits) implements ManagerEffect {}

    record Fail(long call, Failure why) implements ManagerEffect {}
}
