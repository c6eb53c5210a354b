package io.hearth.collective.engine;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Operation;
import io.hearth.collective.Signature;
import io.hearth.collective.Tensor;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CallPlan;
import io.hearth.collective.call.CallRequest;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.engine.queue.CallQueue;
import io.hearth.collective.group.PlanPoints;
import io.hearth.collective.group.Status;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.LeftGroupException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/** Runs the application's calls from a plan to a result, on the calling thread: admission, deadline, memory, counters. */
final class CallAdmission {
    private static final Duration DEADLINE_MAX = Duration.ofDays(3650);

    private final String group;
    private final GroupRuntime runtime;
    private final EngineOptions options;
    private final MetricsTally tally;
    private final Clock clock;
    private final PlanPoints points; // used by the thread in a call
    private final AtomicBoolean isBusy; // set by the thread in a call
    private Runnable onRefusal = () -> {}; // set before the first call
    private volatile boolean entersByStep; // written by calling threads, read by any thread
    private volatile boolean isClosed; // likewise

    /** {@code turn} is set by the thread in a call, of this group or of another one that shares it. */
    CallAdmission(
            String group,
            GroupRuntime runtime,
            EngineOptions options,
            AtomicBoolean turn,
            MetricsTally tally,
            Clock clock) {
        this.isBusy = turn;
        this.group = group;
        this.runtime = runtime;
        this.options = options;
        this.tally = tally;
        this.clock = clock;
        this.points = new PlanPoints(options.planAfterBytes());
    }

    /** The points at which the group agrees on a plan; for the thread in a call. */
    PlanPoints points() {
        return points;
    }

    /** Sets the action for a rejected call; a call is rejected on all ranks. */
    void whenRefused(Runnable action) {
        onRefusal = action;
    }

    /** Sets whether every call except {@code beginStep} is rejected, because the group is already training. */
    void enterByStep(boolean enters) {
        entersByStep = enters;
    }

    boolean entersByStep() {
        return entersByStep;
    }

    /** Rejects every call from now on, on this rank only. */
    void close() {
        isClosed = true;
    }

    /**
     * Checks that this rank has entered the group, and needs it still.
     *
     * @throws CollectiveException if the group is training without this rank, or this is a closed subgroup
     */
    void requireEntered() throws CollectiveException {
        if (isClosed) {
            throw new CollectiveException("this subgroup of group '" + group + "' is closed on this rank");
        }
        if (entersByStep) {
            throw new CollectiveException("group '" + group + "' is already training: share() what all ranks keep alike"
                    + " and call beginStep() to enter it, or come back when the job has ended");
        }
    }

    /** A call of the application, from its plan to its end. {@code E} is its own error beside those of all calls. */
    interface Turn<T, E extends Exception> {
        T take() throws CollectiveException, E;
    }

    /**
     * Runs a call, if no other one is running.
     *
     * @throws IllegalStateException if another call is running; nothing of this one has begun
     */
    <T, E extends Exception> T alone(Turn<T, E> turn) throws CollectiveException, E {
        if (!takeTurn()) {
            throw new IllegalStateException("a collective of group '" + group
                    + "' is already running, on another thread or around this callback; one call at a time");
        }
        try {
            return turn.take();
        } finally {
            endTurn();
        }
    }

    /** Reserves the engine for a call; false if another one is running. {@link #endTurn} must follow, perhaps on another thread. */
    boolean takeTurn() {
        return isBusy.compareAndSet(false, true);
    }

    void endTurn() {
        isBusy.set(false);
    }

    /** Deadline of a call that begins now, in nanoseconds of the clock. */
    long due(CollectiveOptions how) {
        return clock.nanoTime() + nanos(how.deadline().orElse(options.deadline()));
    }

    /** The same options with the time that is left until {@code due} as deadline. */
    CollectiveOptions until(long due, CollectiveOptions how) {
        return how.within(Duration.ofNanos(Math.max(1, due - clock.nanoTime())));
    }

    /**
     * Waits for all collectives that began before a call, within the call's deadline. A call that was begun itself is in its turn.
     *
     * @return the call's deadline, as {@link #due}
     * @throws CollectiveException if the wait fails; this member leaves its group, because the other members continue with a call
     *     that this application does not make
     */
    long after(CallQueue begun, CollectiveOptions how) throws CollectiveException {
        long due = due(how);
        if (begun.isInTurn()) {
            return due;
        }
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
                            + " earlier ones had not ended, and waited for ");
        }
        return due;
    }

    /** Nanoseconds of a deadline, at most ten years, so that sums do not overflow. */
    private static long nanos(Duration deadline) {
        return deadline.compareTo(DEADLINE_MAX) > 0 ? DEADLINE_MAX.toNanos() : deadline.toNanos();
    }

    /** Runs a call of the application, and counts it and its time, including planning. */
    <T, E extends Exception> T timed(Operation operation, Turn<T, E> turn) throws CollectiveException, E {
        long started = clock.nanoTime();
        boolean done = false;
        try {
            T result = turn.take();
            done = true;
            return result;
        } finally {
            ended(operation, done, started);
        }
    }

    /** Counts a call that began at {@code started} and has ended, and its time. */
    void ended(Operation operation, boolean done, long started) {
        tally.ended(operation, done, clock.nanoTime() - started);
    }

    /**
     * Runs one call until it has a result or fails.
     *
     * @throws IllegalArgumentException if its memory cannot be used; nothing was sent
     * @throws IllegalStateException if its compression already remembers too many tensors; nothing was sent
     * @throws CollectiveException if there is no result; the subclass says what to do
     */
    CollectiveResult run(CallRequest asked, CollectiveOptions how) throws CollectiveException {
        return run(asked, due(how));
    }

    /** As {@link #run(CallRequest, CollectiveOptions)}, with the deadline {@code due}. */
    CollectiveResult run(CallRequest asked, long due) throws CollectiveException {
        return run(asked, due, _ -> {});
    }

    /**
     * As {@link #run(CallRequest, CollectiveOptions)}; {@code ended} gets the number of contributors of a result, also if the
     * result cannot be delivered here.
     */
    CollectiveResult run(CallRequest asked, CollectiveOptions how, IntConsumer ended) throws CollectiveException {
        return run(asked, due(how), ended);
    }

    private CollectiveResult run(CallRequest asked, long due, IntConsumer ended) throws CollectiveException {
        return goOn(open(asked, due), true, ended).orElseThrow();
    }

    /** Begins a call as {@link #run(CallRequest, CollectiveOptions)} does; {@link #goOn(Call, boolean)} must follow until it has ended. */
    Call open(CallRequest asked, long due) throws CollectiveException {
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
        runtime.executor().open(call);
        return call;
    }

    /** Runs an open call to its end; empty if it may not wait for other ranks, would have to, and is still open. */
    Optional<CollectiveResult> goOn(Call call, boolean mayWait) throws CollectiveException {
        return goOn(call, mayWait, _ -> {});
    }

    private void count(Call call, IntConsumer ended) {
        tally.sent(call.signature(), call.bytesSent);
        Status.Kept known = call.outcome; // no other thread touches a call after its end
        if (known != null && known.refusal().isPresent()) {
            onRefusal.run();
        } else if (known != null) {
            points.ended(call.signature().bytes(), known.contributors());
            ended.accept(known.contributors());
        }
    }

    private Optional<CollectiveResult> goOn(Call call, boolean mayWait, IntConsumer ended) throws CollectiveException {
        Signature signature = call.signature();
        CollectiveOperation operation = call.operation();
        boolean isOpen = false;
        Status.Kept outcome;
        try {
            Optional<Status.Kept> end = runtime.executor().goOn(call, mayWait);
            isOpen = end.isEmpty();
            if (isOpen) {
                return Optional.empty();
            }
            outcome = end.get();
        } finally {
            if (!isOpen) {
                count(call, ended);
            }
        }
        if (outcome.refusal().isPresent()) {
            throw outcome.refusal().get().toException();
        }
        if (call.ran != null) { // of the mesh in which the call ran last
            tally.dense(
                    operation.denseBytes(signature, call.ran, options.config().segmentBytes()));
        }
        CollectiveOperation.Part part = operation.part(call, outcome.contributors());
        return Optional.of(new CollectiveResult(outcome.contributors(), call.bytesSent, part.first(), part.count()));
    }
}
