package io.hearth.agent.loop;

import io.hearth.core.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The owner thread of a node. Other threads only add events; only this thread uses the machines. */
public final class NodeLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLoop.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int BATCH_MAX = 256; // events before the machines get their ticks

    /** The work of the loop. */
    public interface Body {
        void handle(NodeEvent event);

        /** Steps every machine whose tick is due, and publishes changes. */
        void turn();

        /** Time until the next tick is due, if no event comes. */
        long sleepNanos();
    }

    private static final int REPORTS_MAX = 3;

    private final Clock clock;
    private final Thread thread;
    private volatile boolean closing; // written by close(), read by the loop
    private volatile long turnedNanos; // written by the loop, read by callers of idleNanos()

    /**
     * A loop that has not started.
     *
     * @param failed gets the error that ended the loop, if {@link #close} did not end it
     */
    public NodeLoop(String name, Clock clock, NodeInbox inbox, Body body, Consumer<Throwable> failed) {
        this.clock = clock;
        this.turnedNanos = clock.nanoTime();
        thread = Thread.ofPlatform().name("hearth-loop-" + name).daemon().unstarted(() -> run(inbox, body, failed));
    }

    public void start() {
        thread.start();
    }

    private void run(NodeInbox inbox, Body body, Consumer<Throwable> failed) {
        try {
            while (!closing) {
                @Nullable NodeEvent event = inbox.poll(body.sleepNanos());
                for (int handled = 0; event != null && handled < BATCH_MAX; handled++) {
                    body.handle(event);
                    event = handled + 1 < BATCH_MAX ? inbox.poll(0) : null;
                }
                body.turn();
                turnedNanos = clock.nanoTime();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (Throwable fatal) { // after the owner thread's end the node must not look alive
            report(fatal, failed);
        }
    }

    /**
     * Reports the error, even if memory is short: the loop's objects are free now, so a later attempt may succeed where the first failed.
     */
    private static void report(Throwable fatal, Consumer<Throwable> failed) {
        for (int tries = 1; tries <= REPORTS_MAX; tries++) {
            try {
                failed.accept(fatal);
                LOG.error("this node stopped: {}", String.valueOf(fatal), fatal);
                return;
            } catch (OutOfMemoryError memory) {
                if (tries == REPORTS_MAX) {
                    throw memory; // -XX:+ExitOnOutOfMemoryError ends the process, where it is set
                }
            }
        }
    }

    /** Time since the loop last had nothing left to do, in nanoseconds; far above {@link Body#sleepNanos} if it is stuck. */
    public long idleNanos() {
        return clock.nanoTime() - turnedNanos;
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            if (!thread.join(TIMEOUT)) {
                LOG.warn("the node's loop is still busy after {} s", TIMEOUT.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
