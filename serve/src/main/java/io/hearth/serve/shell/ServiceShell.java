package io.hearth.serve.shell;

import com.google.protobuf.MessageLite;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.UnaryCall;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Steps the machine of a service, keeps its open calls, and gives it its ticks. Calls come on the event loop of a port, answers of the store
 * on the thread of a replica: the lock of this object orders them. A service guards its own fields with the same lock.
 *
 * @param <S> the state
 * @param <E> the events
 * @param <F> the effects
 */
public final class ServiceShell<S, E, F> {
    private static final long TICK_NANOS_MIN = 1_000_000;

    private final Machine<S, E, F> machine;
    private final E tick;
    private final ShellHost around;
    private final Consumer<F> effects;

    // Guarded by this.
    private final Map<Long, UnaryCall> calls = new HashMap<>();
    private final ArrayDeque<E> waiting = new ArrayDeque<>();
    private S state;
    private boolean isStepping;
    private long numbers;
    private @Nullable Future<?> planned;
    private long plannedNanos; // when the planned tick comes

    /**
     * A shell that has not run a step.
     *
     * @param tick the event for passing time
     * @param effects carries one effect out, under the lock; it must not block
     */
    public ServiceShell(Machine<S, E, F> machine, S start, E tick, ShellHost around, Consumer<F> effects) {
        this.machine = machine;
        this.state = start;
        this.tick = tick;
        this.around = around;
        this.effects = effects;
    }

    /** The newest state. */
    public synchronized S state() {
        return state;
    }

    /**
     * Opens a call.
     *
     * @param event of the call with this number
     * @param ended of the caller's leave before the answer
     * @return to run once if the caller leaves before the answer
     */
    public synchronized Runnable open(UnaryCall call, LongFunction<E> event, LongFunction<E> ended) {
        long number = ++numbers;
        calls.put(number, call);
        step(event.apply(number));
        return () -> {
            synchronized (this) {
                if (calls.remove(number) != null) {
                    step(ended.apply(number));
                }
            }
        };
    }

    /** Answers a call; nothing happens if its caller is gone. */
    public synchronized void answer(long number, MessageLite message) {
        UnaryCall call = calls.remove(number);
        if (call != null) {
            call.answer(message);
        }
    }

    /** Ends a call with an error; nothing happens if its caller is gone. */
    public synchronized void fail(long number, Failure why) {
        UnaryCall call = calls.remove(number);
        if (call != null) {
            call.fail(why);
        }
    }

    /** Steps the machine. An event of an effect waits until the step before it is carried out. */
    public synchronized void step(E event) {
        waiting.add(event);
        if (isStepping) {
            return;
        }
        isStepping = true;
        try {
            while (!waiting.isEmpty()) {
                Step<S, F> step =
                        machine.step(state, waiting.remove(), around.clock().nanoTime());
                state = step.state();
                step.effects().forEach(effects);
            }
        } finally {
            isStepping = false;
        }
        plan();
    }

    /** Plans the next tick. One that comes too early does no harm, so it stays: most steps move the end of some wait away. */
    private void plan() {
        long now = around.clock().nanoTime();
        long sleep = machine.sleepNanos(state, now);
        Future<?> before = planned;
        if (sleep == Long.MAX_VALUE || (before != null && plannedNanos - now <= sleep)) {
            return;
        }
        if (before != null) {
            before.cancel(false);
        }
        long pause = Math.max(TICK_NANOS_MIN, sleep);
        plannedNanos = now + pause;
        planned = around.timer().schedule(this::tick, pause, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        try {
            synchronized (this) {
                planned = null;
                step(tick);
            }
        } catch (RuntimeException | Error fatal) { // the timer would swallow it
            around.failed().accept(fatal);
        }
    }
}
