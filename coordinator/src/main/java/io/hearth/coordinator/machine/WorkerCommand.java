package io.hearth.coordinator.machine;

import com.google.protobuf.InvalidProtocolBufferException;
import io.hearth.coordinator.wire.AnswerFrame;
import io.hearth.coordinator.wire.CommandFrame;
import io.hearth.coordinator.wire.EndFrame;
import io.hearth.coordinator.wire.EvictFrame;
import io.hearth.coordinator.wire.RegisterFrame;
import io.hearth.coordinator.wire.StartFrame;
import io.hearth.coordinator.wire.UnregisterFrame;
import io.hearth.core.Bytes;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Optional;

/** A change of the {@link WorkerLedger}, as it is stored. */
public sealed interface WorkerCommand {
    /** Registrations that one command evicts at most. */
    int EVICTED_MAX = 1_000;

    record Register(String id, String address, long session) implements WorkerCommand {}

    record Unregister(String id, long session) implements WorkerCommand {}

    record Evict(List<Long> registrations) implements WorkerCommand {
        public Evict {
            registrations = List.copyOf(registrations);
        }
    }

    record Start(long epoch, String path) implements WorkerCommand {}

    record End(String workerId, long epoch, String checkpointId) implements WorkerCommand {}

    /**
     * What became of a command.
     *
     * @param failure why it changed nothing, if so
     * @param rank of the worker that it registered
     * @param registration of that worker
     */
    record Answer(Optional<Failure> failure, int rank, long registration) {
        static final Answer DONE = new Answer(Optional.empty(), 0, 0);

        static Answer failed(Failure why) {
            return new Answer(Optional.of(why), 0, 0);
        }

        static Answer failed(Failure.Code code, String text) {
            return failed(new Failure(code, text));
        }

        Bytes encoded() {
            var frame = AnswerFrame.newBuilder().setRank(rank).setRegistration(registration);
            failure.ifPresent(why -> frame.setCode(why.code().number()).setText(why.text()));
            return Bytes.of(frame.build().toByteArray());
        }

        /** The opposite of {@link #encoded}. */
        static Answer decode(Bytes bytes) {
            try {
                AnswerFrame frame = AnswerFrame.parseFrom(bytes.toArray());
                for (Failure.Code code : Failure.Code.values()) {
                    if (code.number() == frame.getCode()) {
                        return failed(code, frame.getText());
                    }
                }
                return new Answer(Optional.empty(), frame.getRank(), frame.getRegistration());
            } catch (InvalidProtocolBufferException impossible) {
                throw new IllegalStateException("an answer of this application", impossible);
            }
        }
    }

    /** As stored. */
    default Bytes encoded() {
        var frame = CommandFrame.newBuilder();
        switch (this) {
            case Register(String id, String address, long session) ->
                frame.setRegister(
                        RegisterFrame.newBuilder().setId(id).setAddress(address).setSession(session));
            case Unregister(String id, long session) ->
                frame.setUnregister(UnregisterFrame.newBuilder().setId(id).setSession(session));
            case Evict(List<Long> registrations) ->
                frame.setEvict(EvictFrame.newBuilder().addAllRegistrations(registrations));
            case Start(long epoch, String path) ->
                frame.setStart(StartFrame.newBuilder().setEpoch(epoch).setPath(path));
            case End(String workerId, long epoch, String checkpointId) ->
                frame.setEnd(EndFrame.newBuilder()
                        .setWorkerId(workerId)
                        .setEpoch(epoch)
                        .setCheckpointId(checkpointId));
        }
        return Bytes.of(frame.build().toByteArray());
    }

    /** The opposite of {@link #encoded}; empty if the bytes are no command of this version. */
    static Optional<WorkerCommand> decode(Bytes bytes) {
        try {
            CommandFrame frame = CommandFrame.parseFrom(bytes.toArray());
            return switch (frame.getCommandCase()) {
                case REGISTER ->
                    Optional.of(new Register(
                            frame.getRegister().getId(),
                            frame.getRegister().getAddress(),
                            frame.getRegister().getSession()));
                case UNREGISTER ->
                    Optional.of(new Unregister(
                            frame.getUnregister().getId(), frame.getUnregister().getSession()));
                case EVICT -> Optional.of(new Evict(frame.getEvict().getRegistrationsList()));
                case START ->
                    Optional.of(new Start(
                            frame.getStart().getEpoch(), frame.getStart().getPath()));
                case END ->
                    Optional.of(new End(
                            frame.getEnd().getWorkerId(),
                            frame.getEnd().getEpoch(),
                            frame.getEnd().getCheckpointId()));
                case COMMAND_NOT_SET -> Optional.empty();
            };
        } catch (InvalidProtocolBufferException unreadable) {
            return Optional.empty();
        }
    }
}
