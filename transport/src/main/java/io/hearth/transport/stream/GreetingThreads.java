package io.hearth.transport.stream;

import io.hearth.transport.control.Tally;
import io.hearth.transport.record.Deadlines;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bounded number of short-lived threads. In each of them one connection becomes a stream or is closed. */
public final class GreetingThreads {
    private static final Logger LOG = LoggerFactory.getLogger(GreetingThreads.class);

    /** Turns a fresh connection into a stream, or throws; blocking. */
    @FunctionalInterface
    public interface Greeter {
        void greet(SocketChannel channel) throws IOException;
    }

    private static final long PAUSE_MILLIS = 100;

    private final Tally tally;
    private final Deadlines deadlines;
    private final long limitNanos;
    private final int threadsMax;
    private final Semaphore places;
    private final Set<SocketChannel> greeting = ConcurrentHashMap.newKeySet(); // at most threadsMax
    private final CountDownLatch ended = new CountDownLatch(1); // opened by interrupt(), awaited by pause()

    /**
     * @param limitNanos time limit for a connection to become a stream
     * @param threadsMax most threads at once
     */
    public GreetingThreads(Tally tally, Deadlines deadlines, long limitNanos, int threadsMax) {
        this.tally = tally;
        this.deadlines = deadlines;
        this.limitNanos = limitNanos;
        this.threadsMax = threadsMax;
        this.places = new Semaphore(threadsMax);
    }

    /** Reserves a place for {@link #start}. Returns false if there is none. */
    boolean reserve() {
        return places.tryAcquire();
    }

    /** Gives an unused place back. */
    void release() {
        places.release();
    }

    /** Runs the greeter in its own thread, in a reserved place. */
    void start(SocketChannel channel, Greeter greeter) {
        greeting.add(channel);
        // No virtual thread: if one reads a socket, the socket stays non-blocking and each wait takes three system
        // calls.
        Thread.ofPlatform().daemon().name("hearth-stream-greeting").start(() -> greet(channel, greeter));
    }

    private void greet(SocketChannel channel, Greeter greeter) {
        try (var _ = deadlines.closeAfter(channel, limitNanos)) {
            greeter.greet(channel);
        } catch (IOException refused) {
            refuse(channel, String.valueOf(refused.getMessage()));
        } finally {
            greeting.remove(channel);
            places.release();
        }
    }

    /** Closes a connection that did not become a stream, and counts it. */
    void refuse(SocketChannel channel, String why) {
        LOG.debug("data connection closed: {}", why);
        tally.streamsRefused.increment();
        Deadlines.close(channel);
    }

    /** Waits after a failed accept, until {@link #interrupt} but not for long: most likely there are too few file descriptors. */
    void pause() {
        try {
            boolean _ = ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes all connections that are being greeted, and ends a {@link #pause}. */
    void interrupt() {
        ended.countDown();
        greeting.forEach(Deadlines::close);
    }

    /** Waits until no thread is left; logs a warning if some are left after {@code longest}. */
    void awaitEnd(Duration longest) throws InterruptedException {
        interrupt();
        if (!places.tryAcquire(threadsMax, longest.toMillis(), TimeUnit.MILLISECONDS)) {
            LOG.warn("data connections are still being greeted {} s after the close", longest.toSeconds());
        }
    }
}
