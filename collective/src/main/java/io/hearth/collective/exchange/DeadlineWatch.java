package io.hearth.collective.exchange;

import io.hearth.core.Clock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Ends calls whose time is up. A caller may be blocked in a socket, so somebody else has to look at the clock.
 *
 * <p>Lazy: a call only wakes the thread when its deadline is earlier than what the thread sleeps to. With one deadline for all
 * calls that is never after the first.
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
     * A watch that runs.
     *
     * @param onDue runs on the watch's thread, and must look for itself whose time is up
     * @param onFatal told what ended the thread, which then ends no call any more
     */
    public DeadlineWatch(String name, Clock clock, Runnable onDue, Consumer<Throwable> onFatal) {
        this.clock = clock;
        this.onDue = onDue;
        this.sleepsUntilNanos = clock.nanoTime() + FAR_NANOS;
        this.thread = Thread.ofPlatform().name(name).daemon(true).unstarted(() -> run(onFatal));
        thread.start();
    }

    /** From now on one call is due at {@code nanos} of the clock. */
    public void arm(long nanos) {
        dueNanos = nanos;
        armed = true;
        if (nanos - sleepsUntilNanos < 0) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * As {@link #arm} for one of several calls, by one thread at a time: what is due earlier stays. {@code onDue} must then arm for
     * those that are left, so a call has to be known to it before this.
     */
    public void armEarliest(long nanos) {
        if (!armed || nanos - dueNanos < 0) {
            arm(nanos);
        }
    }

    /** The call is over. */
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
                continue; // armed in between, by a caller that saw the old value and woke nobody
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
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
