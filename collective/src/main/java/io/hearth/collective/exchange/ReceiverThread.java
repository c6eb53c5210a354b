package io.hearth.collective.exchange;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The second data thread of an engine: opens streams and receives while the caller sends. One platform thread, parked between
 * jobs; one job at a time, given and awaited by one thread.
 */
public final class ReceiverThread implements AutoCloseable {
    /** What it does; it may end with any checked exception. */
    interface Job {
        void run() throws Exception;
    }

    private static final Duration END_MAX = Duration.ofSeconds(10);

    private final Thread thread;
    private volatile @Nullable Job job; // set by the giver, cleared by the companion when done
    private volatile @Nullable Throwable failure; // set by the companion before it clears the job
    private volatile @Nullable Thread giver; // set by the giver, unparked by the companion
    private volatile boolean closed; // set by close(), read by the companion

    ReceiverThread(String name) {
        thread = Thread.ofPlatform().name(name).daemon(true).unstarted(this::loop);
        thread.start();
    }

    /** Whether its thread may use this memory. */
    public boolean mayTouch(MemorySegment memory) {
        return memory.isAccessibleBy(thread);
    }

    /** Whether this is its thread. */
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    /** Starts a job; {@link #await} or {@link #awaitIdle} must follow before the next. */
    void start(Job next) {
        giver = Thread.currentThread();
        failure = null;
        job = next;
        LockSupport.unpark(thread);
    }

    /** Whether the last job has ended. */
    boolean isIdle() {
        return job == null;
    }

    /** Waits for the job's end, whatever interrupts; the interrupt is kept for the caller. */
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

    /** What ended the last job early, if anything did. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    private void loop() {
        while (!closed) {
            Job next = job;
            if (next == null) {
                LockSupport.park(this);
                Thread.interrupted(); // one that came too late for its job would keep this from ever parking again
                continue;
            }
            Thread.interrupted(); // one that was meant for an earlier job
            try {
                next.run();
            } catch (Throwable broken) { // the giver decides; this thread serves the next one
                failure = broken;
            }
            job = null;
            LockSupport.unpark(giver);
        }
    }

    /** Ends the thread once its job is over; waits for that, but not for ever. Whether it ended. */
    boolean end() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            return thread.join(END_MAX);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    @Override
    public void close() {
        end();
    }

    /**
     * For the giver of a job that failed: what the world did becomes an IOException, what is a bug stays one.
     *
     * @param what was being done
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
