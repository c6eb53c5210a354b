package io.hearth.lighthouse.machine;

import io.hearth.lighthouse.Quorum;
import io.hearth.serve.Failure;
import java.util.List;

/** Effects that the shell of a lighthouse carries out. */
public sealed interface LighthouseEffect {
    /**
     * Get the id of a quorum, then report it.
     *
     * @param attempt comes back with the report
     * @param isNews whether it is a new one, which has to be stored; else it is enough that this node still orders commands
     */
    record Form(long attempt, List<String> members, boolean hasFailed, boolean isNews) implements LighthouseEffect {}

    record AnswerHeartbeat(long call) implements LighthouseEffect {}

    record AnswerQuorum(long call, Quorum quorum) implements LighthouseEffect {}

    record Fail(long call, Failure why) implements LighthouseEffect {}

    /** Why there is a quorum, or none yet; for people. */
    record Explain(String reason) implements LighthouseEffect {}
}
