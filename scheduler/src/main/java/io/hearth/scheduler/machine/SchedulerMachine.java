package io.hearth.scheduler.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.ledger.Verdict;
import io.hearth.scheduler.machine.SchedulerState.Counters;
import io.hearth.scheduler.machine.SchedulerState.Pending;
import io.hearth.scheduler.machine.SchedulerState.Purpose;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.serve.Failure;
import java.util.Optional;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * A scheduler of training jobs, pure: it knows the nodes by their heartbeats, hands shards out, holds nodes at barriers, finds stragglers,
 * and keeps messages for nodes.
 *
 * <p>Jobs, nodes and owners of shards are in the ledger; a caller hears of a change once it is there. A node that is silent for the time-out
 * is offline, and its shards go to others. A machine that begins to answer gives every node the whole time-out.
 */
public final class SchedulerMachine implements Machine<SchedulerState, SchedulerEvent, SchedulerEffect> {
    /** A store that refuses a command is busy: it gets time before the next one about a silent node. */
    private static final long REFUSED_NANOS = 100_000_000;

    private final SchedulerSettings settings;

    public SchedulerMachine(SchedulerSettings settings) {
        this.settings = settings;
    }

    @Override
    public Step<SchedulerState, SchedulerEffect> step(SchedulerState state, SchedulerEvent event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case SchedulerEvent.Called(long call, Request request) ->
                Calls.take(turn, new Views(state, settings, nowNanos), call, request);
            case SchedulerEvent.Ended(long call) -> {
                turn.waiters = turn.waiters.minus(call);
                turn.polls = turn.polls.minus(call);
            }
            case SchedulerEvent.Applied(SchedulerLedger ledger) -> Watch.take(turn, ledger);
            case SchedulerEvent.Stored stored -> stored(turn, stored);
            case SchedulerEvent.Confirmed(long attempt) ->
                pending(turn, attempt).ifPresent(pending -> finish(turn, pending));
            case SchedulerEvent.NotStored(long attempt, Failure why) ->
                pending(turn, attempt).ifPresent(pending -> refused(turn, pending, why));
            case SchedulerEvent.Elected(SchedulerLedger ledger, long queue) -> begin(turn, ledger, queue);
            case SchedulerEvent.Deposed(Failure why) -> end(turn, why);
            case SchedulerEvent.Tick() -> {}
        }
        if (turn.isServing) {
            Watch.depart(turn, settings.timeoutNanos());
            Watch.findStragglers(turn);
            Barriers.decide(turn);
            Mail.deliver(turn);
        }
        return turn.finish();
    }

    private static Optional<Pending> pending(Turn turn, long attempt) {
        Optional<Pending> pending = Optional.ofNullable(turn.pending.get(attempt));
        turn.pending = turn.pending.minus(attempt);
        return pending;
    }

    private void stored(Turn turn, SchedulerEvent.Stored stored) {
        pending(turn, stored.attempt()).ifPresent(pending -> {
            Optional<Failure> refusal = Verdict.of(stored.answer());
            if (refusal.isPresent()) {
                refused(turn, pending, refusal.get());
            } else {
                finish(turn, pending);
            }
        });
    }

    private void finish(Turn turn, Pending pending) {
        switch (pending.purpose()) {
            case Purpose.ForCall(Request request) -> Answers.give(turn, settings, pending.call(), request);
            case Purpose.Away(String node) -> turn.stay(node, turn.now);
            case Purpose.Pass(String job) -> Barriers.opened(turn, job);
        }
    }

    private static void refused(Turn turn, Pending pending, Failure why) {
        switch (pending.purpose()) {
            case Purpose.ForCall(Request _) -> turn.fail(pending.call(), why);
            case Purpose.Away(String node) -> turn.stay(node, turn.now + REFUSED_NANOS);
            case Purpose.Pass(String job) -> {
                Barriers.opened(turn, job);
                Barriers.failAll(turn, job, why);
            }
        }
    }

    private static void begin(Turn turn, SchedulerLedger ledger, long queue) {
        turn.ledger = ledger;
        turn.isServing = true;
        turn.queue = queue;
        turn.sights = TreePMap.empty();
        for (String node : ledger.nodes().keySet()) {
            turn.sights = turn.sights.plus(node, Sight.unheard(turn.now));
        }
        turn.lookNanos = turn.now;
        turn.touchedJobs.addAll(ledger.jobs().keySet());
        turn.counters = Counters.ZERO;
    }

    private static void end(Turn turn, Failure why) {
        turn.isServing = false;
        for (Pending pending : turn.pending.values()) {
            if (pending.call() != 0) {
                turn.fail(pending.call(), why);
            }
        }
        turn.waiters.calls().keySet().forEach(call -> turn.fail(call, why));
        turn.polls.calls().keySet().forEach(call -> turn.fail(call, why));
        turn.pending = TreePMap.empty();
        turn.waiters = Waits.none();
        turn.polls = Waits.none();
        turn.passing = TreePMap.empty();
        turn.departing = TreePSet.empty();
        turn.stragglers = TreePMap.empty();
        turn.mail = TreePMap.empty();
        turn.sights = TreePMap.empty();
    }

    /** Until the next node may fall silent for too long, or the next wait ends. */
    @Override
    public long sleepNanos(SchedulerState state, long nowNanos) {
        if (!state.isServing()) {
            return Long.MAX_VALUE;
        }
        long look = state.lookNanos() == Long.MAX_VALUE ? Long.MAX_VALUE : state.lookNanos() - nowNanos;
        long wait = Math.min(state.waiters().sleepNanos(nowNanos), state.polls().sleepNanos(nowNanos));
        return Math.max(0, Math.min(look, wait));
    }
}
