package io.hearth.collective.exchange;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The second data thread of an engine: opens streams and receives while the caller sends. One platform thread, parked between jobs. It runs
 * one job at a time; one thread starts the job and awaits it.
 */
public final class ReceiverThread implements AutoCloseable {
    /** The work of the thread; it may throw any exception. */
    interface Job {
        void run() throws Exception;
    }

    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final Thread thread;
    private volatile @Nullable Job job; // set by the caller, cleared by this thread when done
    private volatile @Nullable Throwable failure; // set by this thread before it clears the job
    private volatile @Nullable Thread caller; // set by the caller, unparked by this thread
    private volatile boolean closed; // set by close(), read by this thread

    ReceiverThread(String name) {
        thread = Thread.ofPlatform().name(name).daemon(true).unstarted(this::loop);
        thread.start();
    }

    /** Whether the thread may access this memory. */
    public boolean mayTouch(MemorySegment memory) {
        return memory.isAccessibleBy(thread);
    }

    /** Whether the current thread is this one. */
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /** Starts a job; {@link #await} or {@link #awaitIdle} must follow before the next. */
    void start(Job next) {
        caller = Thread.currentThread();
        failure = null;
        job = next;
        LockSupport.unpark(thread);
    }

    /** Whether the last job has ended. */
    boolean isIdle() {
        return job == null;
    }

    /** Waits for the job's end despite interrupts; an interrupt is kept for the caller. */
    void awaitIdle() {
        boolean interrupted = false;
        while (job != null && thread.isAlive()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the job's end. */
    void await() throws InterruptedException {
        while (job != null && thread.isAlive()) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** The failure of the last job, if any. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void loop() {
        while (!closed) {
            Job next = job;
            if (next == null) {
                LockSupport.park(this);
                Thread.interrupted(); // an interrupt that came too late for its job would prevent parking
                continue;
            }
            Thread.interrupted(); // an interrupt that was meant for an earlier job
            try {
                next.run();
            } catch (Throwable broken) { // the caller handles it; this thread serves the next job
                failure = broken;
            }
            job = null;
            LockSupport.unpark(caller);
        }
    }

    /** Ends the thread after its job; waits for it at most {@link #END_MAX}. Returns whether it ended. */
    boolean end() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            return thread.join(END_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    @Override
    public void close() {
        end();
    }

    /**
     * Converts the failure of a job for its caller: an external failure becomes an IOException; a bug is thrown as it is.
     *
     * @param what the failed action, for the message
     */
    static IOException rethrown(String what, Throwable failure) {
        return switch (failure) {
            case IOException broken -> broken;
            case RuntimeException bug -> throw bug;
            case Error bug -> throw bug;
            default -> new IOException(what + ": " + failure, failure);
        };
    }
}
