package io.hearth.coordinator.machine;

import io.hearth.core.Bytes;
import io.hearth.replicated.Application;
import io.hearth.serve.Failure;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What commands do to the list of workers and checkpoints. */
final class WorkerApplication implements Application<WorkerLedger> {
    private record Applied(WorkerLedger state, WorkerCommand.Answer answer) {
        static Applied failed(WorkerLedger state, Failure.Code code, String text) {
            return new Applied(state, WorkerCommand.Answer.failed(code, text));
        }
    }

    @Override
    public WorkerLedger empty() {
        return WorkerLedger.EMPTY;
    }

    @Override
    public Outcome<WorkerLedger> apply(WorkerLedger state, Bytes command) {
        Applied applied = WorkerCommand.decode(command)
                .map(each -> apply(state, each))
                .orElseGet(() ->
                        Applied.failed(state, Failure.Code.UNIMPLEMENTED, "this version does not know the command"));
        return new Outcome<>(applied.state(), applied.answer().encoded());
    }

    private static Applied apply(WorkerLedger state, WorkerCommand command) {
        return switch (command) {
            case WorkerCommand.Register register -> register(state, register);
            case WorkerCommand.Unregister(String id, long session) -> unregister(state, id, session);
            case WorkerCommand.Evict(List<Long> registrations) -> {
                var gone = new HashSet<>(registrations);
                yield new Applied(
                        state.without(state.byId().values().stream()
                                .filter(worker -> gone.contains(worker.registration()))
                                .toList()),
                        WorkerCommand.Answer.DONE);
            }
            case WorkerCommand.Start(long epoch, String path) -> start(state, epoch, path);
            case WorkerCommand.End end -> end(state, end);
        };
    }

    /** A process that repeats its call gets the rank that it has; it is known by its session, as two machines may claim one address. */
    private static Applied register(WorkerLedger state, WorkerCommand.Register command) {
        Optional<Failure> invalid = Bounds.ofWorkerId(command.id()).or(() -> Bounds.ofAddress(command.address()));
        if (invalid.isPresent()) {
            return new Applied(state, WorkerCommand.Answer.failed(invalid.get()));
        }
        RegisteredWorker known = state.byId().get(command.id());
        if (known != null) {
            boolean isRepeated = command.session() != 0
                    && command.session() == known.session()
                    && command.address().equals(known.address());
            return isRepeated
                    ? new Applied(state, new WorkerCommand.Answer(Optional.empty(), known.rank(), known.registration()))
                    : Applied.failed(
                            state, Failure.Code.ALREADY_EXISTS, "worker " + command.id() + " already registered");
        }
        if (state.byId().size() >= Bounds.WORKERS_MAX) {
            return Applied.failed(
                    state,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    Bounds.WORKERS_MAX + " workers are registered, which is the limit: unregister some, or wait until"
                            + " silent ones are taken off the list");
        }
        var worker = new RegisteredWorker(
                command.id(), command.address(), state.freeRank(), command.session(), state.registrations() + 1);
        return new Applied(
                state.with(worker), new WorkerCommand.Answer(Optional.empty(), worker.rank(), worker.registration()));
    }

    private static Applied unregister(WorkerLedger state, String id, long session) {
        RegisteredWorker known = state.byId().get(id);
        return known == null || !known.isOf(session)
                ? notFound(state, id)
                : new Applied(state.without(List.of(known)), WorkerCommand.Answer.DONE);
    }

    private static Applied notFound(WorkerLedger state, String id) {
        return Applied.failed(state, Failure.Code.NOT_FOUND, "worker " + id + " not found");
    }

    private static Applied start(WorkerLedger state, long epoch, String path) {
        Optional<Failure> invalid = Bounds.ofCheckpoint(epoch, path);
        if (invalid.isPresent()) {
            return new Applied(state, WorkerCommand.Answer.failed(invalid.get()));
        }
        Checkpoint known = state.checkpoints().get(epoch);
        if (known != null && !known.isComplete()) {
            return known.path().equals(path)
                    ? new Applied(state, WorkerCommand.Answer.DONE)
                    : Applied.failed(
                            state,
                            Failure.Code.ALREADY_EXISTS,
                            "checkpoint " + known.id() + " is being written to " + known.path() + ", not to " + path
                                    + ": end it first");
        }
        if (state.byId().isEmpty()) {
            return Applied.failed(
                    state,
                    Failure.Code.FAILED_PRECONDITION,
                    "no worker is registered, so nobody would write checkpoint " + Checkpoint.id(epoch));
        }
        if (state.openCheckpoints() >= Bounds.OPEN_CHECKPOINTS_MAX) {
            return Applied.failed(
                    state,
                    Failure.Code.RESOURCE_EXHAUSTED,
                    Bounds.OPEN_CHECKPOINTS_MAX + " checkpoints are not complete, which is the limit: end them, or"
                            + " unregister the workers that do not");
        }
        var pending = new TreeSet<Long>();
        state.byId().values().forEach(worker -> pending.add(worker.registration()));
        var started = new Checkpoint(epoch, path, pending.size(), 0, pending, state.registrations());
        return new Applied(state.with(started, true), WorkerCommand.Answer.DONE);
    }

    private static Applied end(WorkerLedger state, WorkerCommand.End command) {
        RegisteredWorker worker = state.byId().get(command.workerId());
        if (worker == null) {
            return notFound(state, command.workerId());
        }
        Checkpoint checkpoint = state.checkpoints().get(command.epoch());
        String id = command.checkpointId();
        if (checkpoint == null || !checkpoint.id().equals(id)) {
            return state.checkpoints().values().stream()
                            .anyMatch(each -> each.id().equals(id))
                    ? Applied.failed(
                            state,
                            Failure.Code.INVALID_ARGUMENT,
                            "checkpoint " + id + " is not of epoch " + command.epoch())
                    : Applied.failed(state, Failure.Code.NOT_FOUND, "checkpoint " + id + " not found");
        }
        if (worker.registration() > checkpoint.lastRegistration()) {
            return Applied.failed(
                    state,
                    Failure.Code.FAILED_PRECONDITION,
                    "worker " + worker.id() + " registered after checkpoint " + id
                            + " was started, so it is no part of it: start the next one");
        }
        return new Applied(
                checkpoint.pending().contains(worker.registration())
                        ? state.with(checkpoint.ended(worker.registration()), false)
                        : state,
                WorkerCommand.Answer.DONE);
    }

    /**
     * The workers of the better list go on. Those of the other have ranks of their own, so they register again when they hear that they
     * are unknown, and their checkpoints that are not complete are forgotten. A list without workers gives way.
     */
    @Override
    public WorkerLedger merge(WorkerLedger better, WorkerLedger worse) {
        WorkerLedger first = better.byId().isEmpty() ? worse : better;
        WorkerLedger second = better.byId().isEmpty() ? better : worse;
        var checkpoints = new LinkedHashMap<Long, Checkpoint>();
        second.checkpoints().values().stream()
                .filter(each -> each.isComplete() && !first.checkpoints().containsKey(each.epoch()))
                .forEach(each -> checkpoints.put(each.epoch(), each));
        first.checkpoints().forEach((epoch, checkpoint) -> {
            checkpoints.put(epoch, checkpoint);
            WorkerLedger.forgetOld(checkpoints);
        });
        return new WorkerLedger(
                first.byId(),
                first.byRank(),
                checkpoints,
                Math.max(better.registrations(), worse.registrations()),
                Math.max(better.version(), worse.version()) + 1);
    }

    @Override
    public Bytes encode(WorkerLedger state) {
        return LedgerEncoding.encode(state);
    }

    @Override
    public WorkerLedger decode(Bytes bytes) {
        return LedgerEncoding.decode(bytes);
    }
}
