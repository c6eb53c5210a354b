package io.hearth.transport.record;

import java.io.IOException;
import java.nio.channels.Channel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Bounds blocking calls on channels: closing a channel ends them. */
public final class Deadlines {
    private final ScheduledExecutorService timer;

    /** @param timer its thread closes channels; it is never blocked */
    public Deadlines(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** Ends the watch over a channel. */
    public interface Watch extends AutoCloseable {
        @Override
        public void close();
    }

    /** Closes {@code channel} after {@code nanos} unless the watch ended before. */
    public Watch closeAfter(Channel channel, long nanos) {
        var task = timer.schedule(() -> close(channel), nanos, TimeUnit.NANOSECONDS);
        return () -> task.cancel(false);
    }

    /** Runs a task on the timer's thread; it must not block. Does nothing once the timer has ended. */
    public void after(long nanos, Runnable task) {
        try {
            var _ = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ended) {
            // then every stream ends too
        }
    }

    /** Closes a channel and ignores a failure. */
    public static void close(Channel channel) {
        try {
            channel.close();
        } catch (IOException closedAnyway) {
            // a socket whose close fails is closed anyway
        }
    }
}
