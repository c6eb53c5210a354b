package io.hearth.accel.metal;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The one platform thread that sends messages to Metal, an autorelease pool round each task: a pool has to be popped by the
 * thread that pushed it, and a virtual thread may change its carrier in between.
 *
 * <p>Whoever waits for a task waits for a limited time, also if a call of Metal itself never returns.
 */
final class MetalThread implements AutoCloseable {
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final ObjectiveC runtime;
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(1),
            Thread.ofPlatform().daemon().name("hearth-metal").factory());

    /** Something to do with Metal. */
    interface Task<T> {
        T run() throws MetalException;
    }

    MetalThread(ObjectiveC runtime) {
        this.runtime = runtime;
    }

    /**
     * What the task returns or throws; HANG if that takes longer than the limit, and then the thread may still be in the task.
     * One caller at a time. An interrupt does not end the wait and is kept for later.
     */
    <T> T call(Task<T> task, Duration limit) throws MetalException {
        var future = new FutureTask<T>(() -> pooled(task));
        executor.execute(future);
        long endNanos = System.nanoTime() + limit.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException late) {
            throw new MetalException(
                    MetalFault.HANG, "a call of Metal did not return within " + limit.toMillis() + " ms", late);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof MetalException known) {
                throw known;
            }
            throw new AssertionError("a task of the Metal engine failed by a bug", failed.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> T pooled(Task<T> task) throws MetalException {
        MemorySegment pool = runtime.pushPool();
        try {
            return task.run();
        } finally {
            runtime.popPool(pool);
        }
    }

    /** Waits some seconds for a running task; one that hangs is left behind with its daemon thread. */
    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
