package io.hearth.coordinator.worker;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Runs what is short, later. */
final class Timer implements AutoCloseable {
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("hearth-worker-timer").daemon().factory());

    Timer() {
        executor.setRemoveOnCancelPolicy(true);
    }

    ScheduledExecutorService executor() {
        return executor;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
