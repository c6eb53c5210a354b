package io.hearth.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts data connections; each gets a short-lived thread until it has become a stream or was closed. */
final class StreamListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);
    private static final Duration JOIN = Duration.ofSeconds(2);

    /** Turns a fresh connection into a stream, or throws; blocking. */
    @FunctionalInterface
    interface Greeter {
        void greet(SocketChannel channel) throws IOException;
    }

    private final ServerSocketChannel server;
    private final Predicate<SocketAddress> expected;
    private final Greeter greeter;
    private final Tally tally;
    private final Deadlines deadlines;
    private final long limitNanos;
    private final int pendingMax;
    private final Semaphore pending;
    private final Set<SocketChannel> greeting = ConcurrentHashMap.newKeySet(); // at most pendingMax
    private final Thread acceptor;

    /**
     * @param server bound; closed by this listener
     * @param expected whether somebody at that address may have a ticket
     * @param limitNanos for a connection to become a stream
     * @param pendingMax connections that have not, at once
     * @param onFatal told what ended the accepting thread, if it was not {@link #close}
     */
    StreamListener(
            ServerSocketChannel server,
            Predicate<SocketAddress> expected,
            Greeter greeter,
            Tally tally,
            Deadlines deadlines,
            long limitNanos,
            int pendingMax,
            Consumer<Throwable> onFatal) {
        this.server = server;
        this.expected = expected;
        this.greeter = greeter;
        this.tally = tally;
        this.deadlines = deadlines;
        this.limitNanos = limitNanos;
        this.pendingMax = pendingMax;
        this.pending = new Semaphore(pendingMax);
        this.acceptor = Thread.ofPlatform().daemon().name("hearth-streams").start(() -> run(onFatal));
    }

    /** A listening socket on any free port of {@code bind}. */
    static ServerSocketChannel bind(InetAddress bind) throws IOException {
        var server = ServerSocketChannel.open();
        try {
            return server.bind(new InetSocketAddress(bind, 0));
        } catch (IOException taken) {
            server.close();
            throw taken;
        }
    }

    private void run(Consumer<Throwable> onFatal) {
        try {
            accept();
        } catch (Throwable fatal) {
            LOG.error("data connections are accepted no more: {}", String.valueOf(fatal), fatal);
            onFatal.accept(fatal);
        }
    }

    private void accept() {
        while (server.isOpen()) {
            SocketChannel channel;
            try {
                channel = server.accept();
            } catch (IOException failed) {
                if (server.isOpen()) {
                    LOG.warn("a data connection could not be accepted: {}", failed.getMessage());
                    pause();
                }
                continue;
            }
            if (!isExpected(channel) || !pending.tryAcquire()) {
                tally.streamsRefused.increment();
                Deadlines.close(channel);
                continue;
            }
            greeting.add(channel);
            // No virtual thread: one that reads a socket makes it non-blocking for good, and each wait three system
            // calls.
            Thread.ofPlatform().daemon().name("hearth-stream-greeting").start(() -> greet(channel));
        }
    }

    private boolean isExpected(SocketChannel channel) {
        try {
            return expected.test(channel.getRemoteAddress());
        } catch (IOException goneAlready) {
            return false;
        }
    }

    private void greet(SocketChannel channel) {
        try (var _ = deadlines.closeAfter(channel, limitNanos)) {
            greeter.greet(channel);
        } catch (IOException refused) {
            LOG.debug("data connection closed: {}", refused.getMessage());
            tally.streamsRefused.increment();
            Deadlines.close(channel);
        } finally {
            greeting.remove(channel);
            pending.release();
        }
    }

    /** Out of file descriptors, most likely: they do not come back faster by asking faster. */
    private static void pause() {
        try {
            Thread.sleep(Duration.ofMillis(100));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException closedAnyway) {
            LOG.debug("closing the data port: {}", closedAnyway.getMessage());
        }
        greeting.forEach(Deadlines::close);
        try {
            acceptor.join(JOIN);
            greeting.forEach(Deadlines::close); // accepted in the meantime
            if (!pending.tryAcquire(pendingMax, JOIN.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("data connections are still being greeted {} s after the close", JOIN.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // the caller is told; the threads end by themselves
        }
    }
}
