package io.hearth.agent;

import io.hearth.core.Clock;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread of a node that decides. Everybody else only hands in events; nothing else ever touches the machines. */
final class NodeLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLoop.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int BATCH_MAX = 256; // events before the machines get their ticks

    /** What runs on the loop. */
    interface Body {
        void handle(NodeEvent event);

        /** Gives every machine that is due its tick, and publishes what changed. */
        void turn();

        /** How long nothing needs to happen unless an event comes. */
        long sleepNanos();
    }

    private static final int REPORTS_MAX = 3;

    private final Clock clock;
    private final Thread thread;
    private volatile boolean closing; // written by close(), read by the loop
    private volatile long turnedNanos; // written by the loop, read by whoever asks for its age

    /**
     * A loop that has not started.
     *
     * @param failed told what ended the loop, if it was not {@link #close}
     */
    NodeLoop(String name, Clock clock, NodeInbox inbox, Body body, Consumer<Throwable> failed) {
        this.clock = clock;
        this.turnedNanos = clock.nanoTime();
        thread = Thread.ofPlatform().name("hearth-loop-" + name).daemon().unstarted(() -> run(inbox, body, failed));
    }

    void start() {
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
        } catch (Throwable fatal) { // a thread that decides no more must not look alive, whatever ended it
            report(fatal, failed);
        }
    }

    /** Also where memory is short: what the loop held is free now, so a later try may have the room that the first had not. */
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

    /** How long ago the loop last had nothing left to do, in nanoseconds; far above {@link Body#sleepNanos} if it is stuck. */
    long idleNanos() {
        return clock.nanoTime() - turnedNanos;
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            if (!thread.join(PATIENCE)) {
                LOG.warn("the node's loop is still busy after {} s", PATIENCE.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
