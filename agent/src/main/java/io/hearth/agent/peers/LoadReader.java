package io.hearth.agent.peers;

import io.hearth.topology.NodeLoad;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the load and the battery of this machine every ten seconds. It has a platform thread of its own, because the firmware of a battery
 * or a tool may answer late or never, and then only this thread waits.
 */
public final class LoadReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadReader.class);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration CLOSING_MAX = Duration.ofSeconds(1);

    private final Supplier<NodeLoad> reader;
    private final Consumer<NodeLoad> sink;
    private final Duration pause;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    /**
     * A reader that has not started.
     *
     * @param reader may block
     * @param sink takes each load that differs from the former one; it must not block
     */
    public LoadReader(Supplier<NodeLoad> reader, Consumer<NodeLoad> sink) {
        this(reader, sink, PAUSE);
    }

    LoadReader(Supplier<NodeLoad> reader, Consumer<NodeLoad> sink, Duration pause) {
        this.reader = reader;
        this.sink = sink;
        this.pause = pause;
        this.thread = Thread.ofPlatform().daemon().name("hearth-load").unstarted(this::run);
    }

    /** Reads at once and then after each pause. */
    public void start() {
        thread.start();
    }

    private void run() {
        NodeLoad former = NodeLoad.NONE;
        try {
            do {
                NodeLoad newest = reader.get();
                if (!newest.equals(former)) {
                    former = newest;
                    sink.accept(newest);
                }
            } while (!closing.await(pause.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt(); // close() was called
        } catch (RuntimeException bug) {
            LOG.warn("the load of this machine is no longer read: report this", bug);
        }
    }

    /** Waits at most a second: a reader that hangs in the operating system ends with the process. */
    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        try {
            thread.join(CLOSING_MAX);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
