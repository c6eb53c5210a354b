package io.hearth.bridge;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs blocking calls one after the other, in the order of their beginning, on a thread that ends when it is idle. */
final class Lane implements AutoCloseable {
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ThreadPoolExecutor thread;

    Lane(String name) {
        thread = new ThreadPoolExecutor(
                1,
                1,
                IDLE.toMillis(),
                TimeUnit.MILLISECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name(name).factory());
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Begins a call.
     *
     * @throws IllegalStateException if the lane is closed
     */
    CompletableFuture<Outcome> run(Callable<Outcome> call) {
        var end = new CompletableFuture<Outcome>();
        try {
            thread.execute(new Task(call, end));
        } catch (RejectedExecutionException closed) {
            throw new IllegalStateException("this group is closed", closed);
        }
        return end;
    }

    /** Interrupts the running call and ends those that wait. */
    @Override
    public void close() {
        for (Runnable waiting : thread.shutdownNow()) {
            if (waiting instanceof Task task) {
                task.end.completeExceptionally(new InterruptedException("the group was ended"));
            }
        }
    }

    /** A call and its end. */
    private record Task(Callable<Outcome> call, CompletableFuture<Outcome> end) implements Runnable {
        @Override
        public void run() {
            try {
                end.complete(call.call());
            } catch (Exception | Error failed) {
                end.completeExceptionally(failed);
            }
        }
    }
}
