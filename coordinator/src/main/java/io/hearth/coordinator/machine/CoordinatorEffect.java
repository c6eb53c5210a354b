package io.hearth.coordinator.machine;

import io.hearth.core.Bytes;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Optional;

/** Effects that the shell of a coordinator carries out. */
public sealed interface CoordinatorEffect {
    /** Store a command, then report it with {@code attempt}. */
    record Store(long attempt, Bytes command) implements CoordinatorEffect {}

    record AnswerRegister(long call, int rank, Peers peers) implements CoordinatorEffect {}

    record AnswerUnregister(long call) implements CoordinatorEffect {}

    /** {@code peers} only if the caller does not know them. */
    record AnswerHeartbeat(long call, long version, Optional<Peers> peers) implements CoordinatorEffect {}

    record AnswerStart(long call, String checkpointId) implements CoordinatorEffect {}

    record AnswerEnd(long call) implements CoordinatorEffect {}

    record Fail(long call, Failure why) implements CoordinatorEffect {}

    /** What happened; for people. */
    record Explain(String text) implements CoordinatorEffect {}

    /**
     * All workers.
     *
     * @param version rises with each change
     * @param addresses by rank; empty text where no worker has the rank
     * @param registrations by rank; 0 where nobody has the rank
     */
    record Peers(long version, List<String> addresses, List<Long> registrations) {
        public Peers {
            addresses = List.copyOf(addresses);
            registrations = List.copyOf(registrations);
        }
    }
}
