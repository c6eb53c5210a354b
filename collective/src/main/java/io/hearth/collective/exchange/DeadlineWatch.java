package io.hearth.collective.exchange;

import io.hearth.core.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Ends calls whose deadline has passed. A caller may be blocked in a socket, so a separate thread watches the clock.
 *
 * <p>Lazy: a call wakes the thread only if its deadline is earlier than the end of the thread's sleep. With one timeout for all calls, this
 * happens for the first call only.
 */
public final class DeadlineWatch implements AutoCloseable {
    private static final Duration END_MAX = Duration.ofSeconds(10);
    private static final long FAR_NANOS = Long.MAX_VALUE / 4;

    private final Clock clock;
    private final Thread thread;
    private final Runnable onDue;
    private volatile boolean armed; // written by callers, read by the thread
    private volatile long dueNanos; // written by callers, read by the thread
    private volatile long sleepsUntilNanos; // written by the thread, read by callers
    private volatile boolean closed; // written by close(), read by the thread

    /**
     * Starts a watch.
     *
     * @param onDue runs on the watch's thread, and must itself find the calls whose deadline has passed
     * @param onFatal gets the exception that ended the thread, which then ends no more calls
     */
    public DeadlineWatch(String name, Clock clock, Runnable onDue, Consumer<Throwable> onFatal) {
        this.clock = clock;
        this.onDue = onDue;
        this.sleepsUntilNanos = clock.nanoTime() + FAR_NANOS;
        this.thread = Thread.ofPlatform().name(name).daemon(true).unstarted(() -> run(onFatal));
        thread.start();
    }

    /** Sets the deadline of the one open call, in {@code nanos} of the clock. */
    public void arm(long nanos) {
        dueNanos = nanos;
        armed = true;
        if (nanos - sleepsUntilNanos < 0) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * As {@link #arm} for one of several calls; an earlier deadline stays. One thread at a time calls it. {@code onDue} must arm again for
     * the remaining calls, so it must know a call before this method is called.
     */
    public void armEarliest(long nanos) {
        if (!armed || nanos - dueNanos < 0) {
            arm(nanos);
        }
    }

    /** Clears the deadline: the call has ended. */
    public void disarm() {
        armed = false;
    }

    private void run(Consumer<Throwable> onFatal) {
        try {
            loop();
        } catch (Throwable fatal) {
            onFatal.accept(fatal);
        }
    }

    private void loop() {
        while (!closed) {
            long now = clock.nanoTime();
            sleepsUntilNanos = armed ? dueNanos : now + FAR_NANOS;
            if (armed && dueNanos - sleepsUntilNanos < 0) {
                continue; // armed in between, by a caller that saw the old value and did not wake this thread
            }
            if (armed && dueNanos - now <= 0) {
                armed = false;
                onDue.run();
            } else {
                LockSupport.parkNanos(this, sleepsUntilNanos - now);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(END_MAX);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
