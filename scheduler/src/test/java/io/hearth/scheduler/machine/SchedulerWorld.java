package io.hearth.scheduler.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.replicated.Application;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeRole;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.NodeStatus;
import io.hearth.scheduler.Progress;
import io.hearth.scheduler.SchedulerMetrics;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ledger.LedgerApplication;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A scheduler in virtual time, with a store that is quick, slow, or lost with its machine. */
final class SchedulerWorld {
    static final long SECOND = 1_000_000_000L;

    private record Waiting(long attempt, Bytes command) {}

    private final Application<SchedulerLedger> application = new LedgerApplication();
    private final Map<Long, Reply> replies = new HashMap<>();
    private final Map<Long, Failure> failures = new HashMap<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private SchedulerMachine machine = new SchedulerMachine(SchedulerSettings.DEFAULT);
    private SchedulerState state = SchedulerState.START;
    private SchedulerLedger stored = application.empty();
    private long now = 1_000 * SECOND;
    private long calls;
    boolean isSlow;

    SchedulerWorld() {
        step(new SchedulerEvent.Elected(stored, 1));
    }

    SchedulerState state() {
        return state;
    }

    SchedulerLedger ledger() {
        return stored;
    }

    long nowNanos() {
        return now;
    }

    private void step(SchedulerEvent event) {
        Step<SchedulerState, SchedulerEffect> step = machine.step(state, event, now);
        state = step.state();
        for (SchedulerEffect effect : step.effects()) {
            switch (effect) {
                case SchedulerEffect.Answer(long call, Reply reply) -> replies.put(call, reply);
                case SchedulerEffect.Fail(long call, Failure why) -> failures.put(call, why);
                case SchedulerEffect.Confirm(long attempt) -> step(new SchedulerEvent.Confirmed(attempt));
                case SchedulerEffect.Store(long attempt, Bytes command) -> {
                    waiting.add(new Waiting(attempt, command));
                    if (!isSlow) {
                        store();
                    }
                }
            }
        }
    }

    /** Stores what waits. */
    void store() {
        while (!waiting.isEmpty()) {
            Waiting next = waiting.removeFirst();
            var outcome = application.apply(stored, next.command());
            stored = outcome.state();
            step(new SchedulerEvent.Applied(stored));
            step(new SchedulerEvent.Stored(next.attempt(), outcome.answer()));
        }
    }

    /** Nobody knows what became of what waits. */
    void lose() {
        List<Waiting> lost = List.copyOf(waiting);
        waiting.clear();
        lost.forEach(each -> step(
                new SchedulerEvent.NotStored(each.attempt(), new Failure(Failure.Code.UNAVAILABLE, "nobody knows"))));
    }

    /** The machine is lost. The first {@code kept} commands that wait are applied nevertheless, though nobody hears of it. */
    void fail(int kept) {
        for (Waiting each : waiting.subList(0, Math.min(kept, waiting.size()))) {
            stored = application.apply(stored, each.command()).state();
        }
        waiting.clear();
        step(new SchedulerEvent.Deposed(new Failure(Failure.Code.UNAVAILABLE, "another machine answers")));
        machine = new SchedulerMachine(SchedulerSettings.DEFAULT);
        state = SchedulerState.START;
        stored = application.decode(application.encode(stored));
        step(new SchedulerEvent.Elected(stored, now));
    }

    void pass(long seconds) {
        passNanos(seconds * SECOND);
    }

    void passNanos(long nanos) {
        long until = now + nanos;
        while (true) {
            long sleep = Math.max(1, machine.sleepNanos(state, now));
            if (sleep > until - now) {
                now = until;
                return;
            }
            now += sleep;
            step(new SchedulerEvent.Tick());
        }
    }

    long call(Request request) {
        step(new SchedulerEvent.Called(++calls, request));
        return calls;
    }

    void end(long call) {
        step(new SchedulerEvent.Ended(call));
    }

    Optional<Reply> reply(long call) {
        return Optional.ofNullable(replies.get(call));
    }

    Optional<Failure> failure(long call) {
        return Optional.ofNullable(failures.get(call));
    }

    /** Calls, and gives the answer that comes at once. */
    Reply ask(Request request) {
        long call = call(request);
        return reply(call)
                .orElseThrow(() -> new AssertionError(
                        request + ": " + failure(call).map(Failure::text).orElse("no answer")));
    }

    /** Calls, and gives the error that comes at once. */
    Failure refused(Request request) {
        long call = call(request);
        return failure(call).orElseThrow(() -> new AssertionError(request + " was not refused"));
    }

    void register(String... nodes) {
        for (String node : nodes) {
            ask(new Request.Register(NodeSpec.worker(node, "host-" + node)));
        }
    }

    NodeStatus beat(String node, double load, Progress... progress) {
        var reply = (Reply.Beaten)
                ask(new Request.Beat(node, load, NodeRole.UNKNOWN, Optional.empty(), List.of(progress), false));
        return reply.status();
    }

    JobView submit(JobSpec spec) {
        return ((Reply.Submitted) ask(new Request.Submit(spec, List.of(), List.of()))).job();
    }

    JobView show(String job) {
        return ((Reply.Shown) ask(new Request.ShowJob(job))).job();
    }

    JobView.NodeView show(String job, String node) {
        return show(job).nodes().stream()
                .filter(each -> each.id().equals(node))
                .findFirst()
                .orElseThrow();
    }

    List<Shard> next(String node, String job, int max) {
        return ((Reply.Shards) ask(new Request.Next(node, job, max))).shards();
    }

    void complete(String node, String job, Shard shard) {
        ask(new Request.Complete(node, job, shard.index(), shard.term()));
    }

    /** The messages of a node that it has not had, as {@code type source payload}. */
    List<String> mail(String node) {
        var queued = (Reply.Messages) ask(new Request.Messages(node, state.queue(), 0, 0));
        long last = queued.letters().isEmpty() ? 0 : queued.letters().getLast().number();
        ask(new Request.Messages(node, state.queue(), last, 0));
        return queued.letters().stream()
                .map(letter -> letter.kind().text() + " " + letter.source() + " " + letter.payload())
                .toList();
    }

    SchedulerMetrics metrics() {
        return ((Reply.Metrics) ask(new Request.Metrics())).metrics();
    }
}
