package io.hearth.scheduler.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.machine.SchedulerState.Counters;
import io.hearth.scheduler.machine.SchedulerState.Pending;
import io.hearth.scheduler.machine.SchedulerState.Poll;
import io.hearth.scheduler.machine.SchedulerState.Purpose;
import io.hearth.scheduler.machine.SchedulerState.Sight;
import io.hearth.scheduler.machine.SchedulerState.Waiter;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.pcollections.PSortedMap;
import org.pcollections.PSortedSet;

/** One step under construction. */
final class Turn {
    final long now;
    final SortedSet<String> touchedJobs = new TreeSet<>(); // whose stragglers and barriers may have changed
    final SortedSet<String> mailed = new TreeSet<>(); // nodes whose calls for messages may end
    PSortedMap<String, Sight> sights;
    PSortedMap<Long, Pending> pending;
    Waits<Waiter> waiters;
    PSortedMap<String, Long> passing;
    PSortedSet<String> departing;
    PSortedMap<String, SortedSet<String>> stragglers;
    PSortedMap<String, Mailbox> mail;
    Waits<Poll> polls;
    long lookNanos;
    SchedulerLedger ledger;
    Counters counters;
    boolean isServing;
    long queue;
    private final List<SchedulerEffect> effects = new ArrayList<>();
    private long attempts;

    Turn(SchedulerState state, long now) {
        this.now = now;
        sights = state.sights();
        pending = state.pending();
        waiters = state.waiters();
        passing = state.passing();
        departing = state.departing();
        stragglers = state.stragglers();
        mail = state.mail();
        polls = state.polls();
        lookNanos = state.lookNanos();
        ledger = state.ledger();
        counters = state.counters();
        isServing = state.isServing();
        queue = state.queue();
        attempts = state.attempts();
    }

    void store(long call, Purpose purpose, Bytes command) {
        pending = pending.plus(++attempts, new Pending(call, purpose));
        effects.add(new SchedulerEffect.Store(attempts, command));
    }

    void confirm(long call, Request request) {
        pending = pending.plus(++attempts, new Pending(call, new Purpose.ForCall(request)));
        effects.add(new SchedulerEffect.Confirm(attempts));
    }

    void answer(long call, Reply reply) {
        effects.add(new SchedulerEffect.Answer(call, reply));
    }

    void fail(long call, Failure why) {
        effects.add(new SchedulerEffect.Fail(call, why));
    }

    void fail(long call, Failure.Code code, String text) {
        fail(call, new Failure(code, text));
    }

    Optional<Job> job(String name) {
        return Optional.ofNullable(ledger.jobs().get(name));
    }

    /** Whether the node is registered, and not taken for offline. */
    boolean isHere(String node) {
        SchedulerLedger.Node known = ledger.nodes().get(node);
        return known != null && !known.isAway();
    }

    /** A command about a silent node has ended. If it is silent still, that is noticed again, at that instant. */
    void stay(String node, long lookAgainNanos) {
        if (departing.contains(node)) {
            departing = departing.minus(node);
            lookNanos = lookAgainNanos;
        }
    }

    /** What is known so far. */
    SchedulerState state() {
        return new SchedulerState(
                isServing,
                queue,
                ledger,
                sights,
                pending,
                waiters,
                passing,
                departing,
                stragglers,
                mail,
                polls,
                lookNanos,
                counters,
                attempts);
    }

    Step<SchedulerState, SchedulerEffect> finish() {
        return new Step<>(state(), effects);
    }
}
