package io.hearth.coordinator.machine;

import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A coordinator, pure: it lists workers, hears their heartbeats, and takes silent ones off the list.
 *
 * <p>What callers are told is stored first; the ledger decides, in the order in which commands are stored. Heartbeats are not stored: a
 * node that begins to answer takes all workers as heard just now.
 */
public final class CoordinatorMachine implements Machine<CoordinatorState, CoordinatorEvent, CoordinatorEffect> {
    /** Calls whose command is being stored. */
    static final int OPEN_MAX = 2_048;

    private final CoordinatorSettings settings;

    public CoordinatorMachine(CoordinatorSettings settings) {
        this.settings = settings;
    }

    /** One step under construction. */
    private static final class Turn {
        private final long now;
        private final List<CoordinatorEffect> effects = new ArrayList<>();
        private final TreeMap<Long, CoordinatorEvent.Call> open;
        private boolean isServing;
        private WorkerLedger ledger;
        private HeardTimes heard;
        private long checkNanos;
        private Set<Long> evicting;
        private long attempts;

        private Turn(CoordinatorState state, long now) {
            this.now = now;
            this.isServing = state.isServing();
            this.ledger = state.ledger();
            this.heard = state.heard();
            this.checkNanos = state.checkNanos();
            this.evicting = state.evicting();
            this.open = new TreeMap<>(state.open());
            this.attempts = state.attempts();
        }

        private void fail(long call, Failure why) {
            effects.add(new CoordinatorEffect.Fail(call, why));
        }

        private void store(WorkerCommand command) {
            attempts++;
            effects.add(new CoordinatorEffect.Store(attempts, command.encoded()));
        }

        private CoordinatorEffect.Peers peers() {
            return new CoordinatorEffect.Peers(ledger.version(), ledger.peers(), ledger.registrationsByRank());
        }

        private Step<CoordinatorState, CoordinatorEffect> finish() {
            return new Step<>(
                    new CoordinatorState(isServing, ledger, heard, checkNanos, evicting, open, attempts), effects);
        }
    }

    @Override
    public Step<CoordinatorState, CoordinatorEffect> step(
            CoordinatorState state, CoordinatorEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case CoordinatorEvent.Call call -> called(turn, call);
            case CoordinatorEvent.Ended(long call) ->
                turn.open.values().removeIf(each -> each.call() == call); // what it asked for may still be stored
            case CoordinatorEvent.Stored stored -> stored(turn, stored);
            case CoordinatorEvent.NotStored(long attempt, Failure why) -> {
                CoordinatorEvent.Call call = turn.open.remove(attempt);
                if (call != null) {
                    turn.fail(call.call(), why);
                } else {
                    turn.evicting = Set.of(); // the next tick tries again
                }
            }
            case CoordinatorEvent.Elected(WorkerLedger ledger) -> {
                turn.isServing = true;
                turn.ledger = ledger;
                turn.heard = HeardTimes.all(ledger.ranks(), nowNanos);
                turn.checkNanos = nowNanos + settings.heartbeatTimeoutNanos();
                turn.evicting = Set.of();
            }
            case CoordinatorEvent.Deposed(Failure why) -> {
                turn.isServing = false;
                turn.open.values().forEach(call -> turn.fail(call.call(), why));
                turn.open.clear();
                turn.evicting = Set.of();
            }
            case CoordinatorEvent.Tick() -> evict(turn);
        }
        return turn.finish();
    }

    private void called(Turn turn, CoordinatorEvent.Call call) {
        Optional<Failure> refused = refused(turn, call.request());
        if (refused.isPresent()) {
            turn.fail(call.call(), refused.get());
            return;
        }
        switch (call.request()) {
            case CoordinatorEvent.Heartbeat heartbeat -> hear(turn, call.call(), heartbeat);
            case CoordinatorEvent.Register(String id, String address, long session) ->
                store(turn, call, new WorkerCommand.Register(id, address, session));
            case CoordinatorEvent.Unregister(String id, long session) ->
                store(turn, call, new WorkerCommand.Unregister(id, session));
            case CoordinatorEvent.StartCheckpoint(long epoch, String path) ->
                store(turn, call, new WorkerCommand.Start(epoch, path));
            case CoordinatorEvent.EndCheckpoint(String workerId, long epoch, String checkpointId) ->
                store(turn, call, new WorkerCommand.End(workerId, epoch, checkpointId));
        }
    }

    private static Optional<Failure> refused(Turn turn, CoordinatorEvent.Request request) {
        if (!turn.isServing) {
            return Optional.of(new Failure(
                    Failure.Code.UNAVAILABLE,
                    "no machine of this cluster can answer yet: a quorum of them is needed; call again"));
        }
        return switch (request) {
            case CoordinatorEvent.Heartbeat heartbeat -> Bounds.ofWorkerId(heartbeat.id());
            case CoordinatorEvent.Register register ->
                Bounds.ofWorkerId(register.id()).or(() -> Bounds.ofAddress(register.address()));
            case CoordinatorEvent.Unregister unregister -> Bounds.ofWorkerId(unregister.id());
            case CoordinatorEvent.StartCheckpoint start -> Bounds.ofCheckpoint(start.epoch(), start.path());
            case CoordinatorEvent.EndCheckpoint end ->
                Bounds.ofWorkerId(end.workerId())
                        .or(() -> Bounds.length("a checkpoint id", end.checkpointId(), Bounds.NAME_BYTES_MAX));
        };
    }

    private static void store(Turn turn, CoordinatorEvent.Call call, WorkerCommand command) {
        if (turn.open.size() >= OPEN_MAX) {
            turn.fail(
                    call.call(),
                    new Failure(
                            Failure.Code.RESOURCE_EXHAUSTED,
                            OPEN_MAX + " calls wait for the disks already: call again in a second"));
            return;
        }
        turn.store(command);
        turn.open.put(turn.attempts, call);
    }

    private static void hear(Turn turn, long call, CoordinatorEvent.Heartbeat heartbeat) {
        RegisteredWorker worker = turn.ledger.byId().get(heartbeat.id());
        if (worker == null || turn.evicting.contains(worker.registration())) {
            turn.fail(call, new Failure(Failure.Code.NOT_FOUND, "worker " + heartbeat.id() + " not found"));
        } else if (!worker.isOf(heartbeat.session())) {
            turn.fail(
                    call,
                    new Failure(
                            Failure.Code.NOT_FOUND,
                            "worker " + heartbeat.id() + " not found in this session: another process has registered"
                                    + " the id since"));
        } else {
            turn.heard = turn.heard.with(worker.rank(), turn.now);
            boolean isBehind = heartbeat.session() != 0 && heartbeat.version() != turn.ledger.version();
            turn.effects.add(new CoordinatorEffect.AnswerHeartbeat(
                    call, turn.ledger.version(), isBehind ? Optional.of(turn.peers()) : Optional.empty()));
        }
    }

    private void stored(Turn turn, CoordinatorEvent.Stored stored) {
        adopt(turn, stored.ledger());
        CoordinatorEvent.Call call = turn.open.remove(stored.attempt());
        if (call == null) { // an eviction, or its caller is gone
            turn.evicting = left(turn);
            return;
        }
        answer(turn, call, stored.answer());
    }

    /** Takes a newer ledger; its new workers are heard now. */
    private void adopt(Turn turn, WorkerLedger ledger) {
        if (ledger.version() != turn.ledger.version()) {
            for (RegisteredWorker worker : ledger.byRank().values()) {
                RegisteredWorker before = turn.ledger.byRank().get(worker.rank());
                if (before == null || before.registration() != worker.registration()) {
                    turn.heard = turn.heard.with(worker.rank(), turn.now);
                }
            }
            if (turn.ledger.byId().isEmpty()) {
                turn.checkNanos = turn.now + settings.heartbeatTimeoutNanos();
            }
        }
        turn.ledger = ledger;
    }

    private static Set<Long> left(Turn turn) {
        var still = new HashSet<Long>();
        if (!turn.evicting.isEmpty()) {
            turn.ledger.byRank().values().stream()
                    .map(RegisteredWorker::registration)
                    .filter(turn.evicting::contains)
                    .forEach(still::add);
        }
        return still;
    }

    private static void answer(Turn turn, CoordinatorEvent.Call open, Bytes encoded) {
        WorkerCommand.Answer answer = WorkerCommand.Answer.decode(encoded);
        long call = open.call();
        if (answer.failure().isPresent()) {
            turn.fail(call, answer.failure().get());
            return;
        }
        switch (open.request()) {
            case CoordinatorEvent.Register register -> {
                turn.effects.add(new CoordinatorEffect.AnswerRegister(call, answer.rank(), turn.peers()));
                turn.effects.add(new CoordinatorEffect.Explain(
                        "worker " + register.id() + " at " + register.address() + " has rank " + answer.rank()));
            }
            case CoordinatorEvent.Unregister unregister -> {
                turn.effects.add(new CoordinatorEffect.AnswerUnregister(call));
                turn.effects.add(new CoordinatorEffect.Explain("worker " + unregister.id() + " left"));
            }
            case CoordinatorEvent.StartCheckpoint start ->
                turn.effects.add(new CoordinatorEffect.AnswerStart(call, Checkpoint.id(start.epoch())));
            case CoordinatorEvent.EndCheckpoint _ -> turn.effects.add(new CoordinatorEffect.AnswerEnd(call));
            case CoordinatorEvent.Heartbeat _ -> throw new IllegalStateException("heartbeats are not stored");
        }
    }

    private void evict(Turn turn) {
        if (!turn.isServing || !turn.evicting.isEmpty() || isEarly(turn.ledger, turn.checkNanos, turn.now)) {
            return;
        }
        long timeout = settings.heartbeatTimeoutNanos();
        var silent = new ArrayList<Long>();
        long sleep = timeout;
        for (RegisteredWorker worker : turn.ledger.byRank().values()) {
            long age = turn.now - turn.heard.nanos(worker.rank());
            if (age < timeout) {
                sleep = Math.min(sleep, timeout - age);
            } else if (silent.size() < WorkerCommand.EVICTED_MAX) {
                silent.add(worker.registration());
                turn.effects.add(new CoordinatorEffect.Explain("worker " + worker.id() + " (rank " + worker.rank()
                        + ") was silent for " + age / 1_000_000 + " ms, so it is taken off the list"));
            } else {
                sleep = 0; // the next ones after these
            }
        }
        turn.checkNanos = turn.now + sleep;
        if (!silent.isEmpty()) {
            turn.evicting = new HashSet<>(silent);
            turn.store(new WorkerCommand.Evict(silent));
        }
    }

    private static boolean isEarly(WorkerLedger ledger, long checkNanos, long now) {
        return ledger.byId().isEmpty() || checkNanos - now > 0;
    }

    /** Until the next instant at which a worker may have been silent for too long. Heartbeats only move it on. */
    @Override
    public long sleepNanos(CoordinatorState state, long nowNanos) {
        boolean isWaiting = state.isServing()
                && state.evicting().isEmpty()
                && !state.ledger().byId().isEmpty();
        return isWaiting ? Math.max(0, state.checkNanos() - nowNanos) : Long.MAX_VALUE;
    }
}
