package io.hearth.accel.metal;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The one platform thread that sends messages to Metal, with an autorelease pool around each task. The thread that pushed a pool must pop
 * it, and a virtual thread may change its carrier meanwhile.
 *
 * <p>A caller waits for its task until a timeout, even if a call of Metal itself never returns.
 */
final class MetalThread implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final ObjectiveC runtime;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("hearth-metal").unstarted(this::serve);
    private Turn turn = new Turn(); // of one caller at a time
    private volatile @Nullable Turn next; // written by the caller, taken by the thread
    private volatile boolean closing; // written by the thread that closes, read by this one

    /** A task that uses Metal. */
    interface Task<T> {
        T run() throws MetalException;
    }

    /**
     * A task and its result, handed from thread to thread; the next call reuses it if this one returned, so that a submission allocates
     * nothing.
     */
    private static final class Turn {
        private @Nullable Task<?> task; // published by next
        private @Nullable Thread caller; // published by next
        private @Nullable Object result; // published by done
        private @Nullable Throwable thrown; // published by done
        private volatile boolean done; // written by the thread, read by the caller

        private void begin(Task<?> task) {
            this.task = task;
            caller = Thread.currentThread();
            result = null;
            thrown = null;
            done = false;
        }

        private void run(ObjectiveC runtime) {
            Thread waiting = caller; // read before done: then the turn belongs to the next call
            try {
                result = pooled(runtime);
            } catch (Throwable failed) {
                thrown = failed; // the caller throws it
            }
            done = true;
            LockSupport.unpark(waiting);
        }

        private @Nullable Object pooled(ObjectiveC runtime) throws MetalException {
            long pool = runtime.pushPool();
            try {
                return task == null ? null : task.run();
            } finally {
                runtime.popPool(pool);
            }
        }
    }

    /** Starts the thread. */
    MetalThread(ObjectiveC runtime) {
        this.runtime = runtime;
        thread.start();
    }

    private void serve() {
        while (!closing) {
            Turn turn = next;
            if (turn == null) {
                LockSupport.park(this);
            } else {
                next = null;
                turn.run(runtime);
            }
        }
    }

    /**
     * Returns or throws the result of the task; throws HANG after the timeout, and then the thread may still run the task. One caller at
     * a time. An interrupt does not end the wait; it stays set.
     */
    @SuppressWarnings("unchecked")
    <T> T call(Task<T> task, Duration limit) throws MetalException {
        turn.begin(task);
        next = turn;
        LockSupport.unpark(thread);
        long startNanos = System.nanoTime();
        boolean interrupted = false;
        while (!turn.done) {
            long leftNanos = limit.toNanos() - (System.nanoTime() - startNanos);
            if (leftNanos <= 0) {
                break;
            }
            LockSupport.parkNanos(this, leftNanos);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!turn.done) {
            throw new MetalException(
                    MetalFault.HANG, "a call of Metal did not return within " + limit.toMillis() + " ms");
        }
        if (turn.thrown instanceof MetalException known) {
            throw known;
        }
        if (turn.thrown != null || turn.result == null) {
            throw new AssertionError("a task of the Metal engine failed by a bug", turn.thrown);
        }
        return (T) turn.result; // of the task's type
    }

    /** Waits some seconds for a running task; a task that hangs stays behind with its daemon thread. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSING);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
