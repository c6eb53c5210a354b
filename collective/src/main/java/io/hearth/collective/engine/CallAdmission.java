package io.hearth.collective.engine;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.group.Status;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.LeftGroupException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/** Takes the application's calls from a plan to a result, on the calling thread: entry, deadline, memory, counters. */
final class CallAdmission {
    private static final Duration DEADLINE_MAX = Duration.ofDays(3650);

    private final String group;
    private final GroupRuntime runtime;
    private final EngineOptions options;
    private final MetricsTally tally;
    private final Clock clock;
    private final AtomicBoolean isBusy = new AtomicBoolean(); // by whoever calls
    private Runnable onRefusal = () -> {}; // set before the first call
    private volatile boolean entersByStep; // by whoever knows the cluster, for callers

    CallAdmission(String group, GroupRuntime runtime, EngineOptions options, MetricsTally tally, Clock clock) {
        this.group = group;
        this.runtime = runtime;
        this.options = options;
        this.tally = tally;
        this.clock = clock;
    }

    /** What is done when a number ends with a refusal, as it does on all ranks. */
    void whenRefused(Runnable action) {
        onRefusal = action;
    }

    /** Whether every call but the begin of a step is refused, because the group is at work already. */
    void enterByStep(boolean enters) {
        entersByStep = enters;
    }

    boolean entersByStep() {
        return entersByStep;
    }

    /**
     * Refuses a call that may not run before a step began here.
     *
     * @throws CollectiveException the group is at work without this rank
     */
    void requireEntered() throws CollectiveException {
        if (entersByStep) {
            throw new CollectiveException("group '" + group + "' is already training: share() what all ranks keep alike"
                    + " and call beginStep() to enter it, or come back when the job has ended");
        }
    }

    /** A call of the application, from its plan to its end, with an error of its own beside those of all calls. */
    interface Turn<T, E extends Exception> {
        T take() throws CollectiveException, E;
    }

    /**
     * Runs a call, unless one runs: nothing of it is begun before that is known.
     *
     * @throws IllegalStateException one does
     */
    <T, E extends Exception> T alone(Turn<T, E> turn) throws CollectiveException, E {
        if (!isBusy.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "another thread, or a callback of this one, calls while a collective of group '" + group
                            + "' runs; one call at a time");
        }
        try {
            return turn.take();
        } finally {
            isBusy.set(false);
        }
    }

    /** When a call that begins now has to have ended, in nanoseconds of the clock. */
    long due(CollectiveOptions how) {
        return clock.nanoTime() + nanos(how.deadline().orElse(options.deadline()));
    }

    /** The same options with what is left until {@code due}. */
    CollectiveOptions until(long due, CollectiveOptions how) {
        return how.within(Duration.ofNanos(Math.max(1, due - clock.nanoTime())));
    }

    /**
     * Waits for all that was begun before a call, within the call's time.
     *
     * @return when it is {@link #due}
     * @throws CollectiveException this member leaves its group, which goes on with a call that its application does not make
     */
    long after(CallQueue begun, CollectiveOptions how) throws CollectiveException {
        long due = due(how);
        int open;
        try {
            open = begun.awaitAll(() -> due - clock.nanoTime());
        } catch (CollectiveException interrupted) {
            var left = new LeftGroupException(String.valueOf(interrupted.getMessage()), interrupted);
            runtime.executor().giveUp(left);
            throw left;
        }
        if (open > 0) {
            throw runtime.executor()
                    .tooLate("a collective did not begin before its deadline; " + open
                            + " that were begun earlier had not ended, and waited for ");
        }
        return due;
    }

    /** Longer than anybody waits is as good as for ever, and can be reckoned with. */
    private static long nanos(Duration deadline) {
        return deadline.compareTo(DEADLINE_MAX) > 0 ? DEADLINE_MAX.toNanos() : deadline.toNanos();
    }

    /** Counts an all-reduce and its time, planning included. */
    CollectiveResult timed(CallQueue.Body body) throws CollectiveException {
        long started = clock.nanoTime();
        boolean done = false;
        try {
            CollectiveResult result = body.run();
            done = true;
            return result;
        } finally {
            tally.allReduce(done, clock.nanoTime() - started);
        }
    }

    /**
     * Runs one call to its end.
     *
     * @throws IllegalArgumentException its memory cannot be used; nothing was sent
     * @throws IllegalStateException its compression remembers too many tensors already; nothing was sent
     * @throws CollectiveException no result; the subclass says what to do
     */
    CollectiveResult run(CallRequest asked, CollectiveOptions how) throws CollectiveException {
        return run(asked, due(how));
    }

    /** The same of a call that is {@link #due} then. */
    CollectiveResult run(CallRequest asked, long due) throws CollectiveException {
        return run(asked, due, _ -> {});
    }

    /** As the first; {@code ended} hears of how many members there is a result, also if it cannot be delivered here. */
    CollectiveResult run(CallRequest asked, CollectiveOptions how, IntConsumer ended) throws CollectiveException {
        return run(asked, due(how), ended);
    }

    private CollectiveResult run(CallRequest asked, long due, IntConsumer ended) throws CollectiveException {
        CallPlan plan = asked.plan();
        MemorySegment input = asked.input();
        MemorySegment target = asked.target();
        Tensor.requireUsable(input);
        Tensor.requireWritable(target);
        if (!plan.signature().admits()) {
            requireEntered();
        }
        plan.operation().requireRoom();
        Signature signature = plan.signature();
        Call.Memory memory = plan.operation().memory(signature, input, target, runtime);
        var call = new Call(signature, memory, plan.operation(), due);
        Status.Kept outcome;
        try {
            outcome = runtime.executor().perform(call);
        } finally {
            tally.sent(signature, call.bytesSent);
            Status.Kept known = call.outcome; // nobody else touches a call that was left
            if (known != null && known.refusal().isPresent()) {
                onRefusal.run();
            } else if (known != null) {
                ended.accept(known.contributors());
            }
        }
        if (outcome.refusal().isPresent()) {
            throw outcome.refusal().get().toException();
        }
        if (call.ran != null) { // the ring that the result comes from, whoever brought it
            tally.dense(plan.operation()
                    .denseBytes(signature, call.ran, options.config().segmentBytes()));
        }
        CollectiveOperation.Part part = plan.operation().part(call, outcome.contributors());
        return new CollectiveResult(outcome.contributors(), call.bytesSent, part.first(), part.count());
    }
}
