package io.hearth.transport.stream;

import io.hearth.transport.record.Deadlines;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections to this node's unix socket, which only processes of its user can reach. Each connection has a short-lived thread
 * until it becomes a stream or is closed.
 */
public final class StreamListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);

    /** Longest wait of a close for threads. */
    static final Duration JOIN = Duration.ofSeconds(2);

    private final ServerSocketChannel server;
    private final GreetingThreads.Greeter greeter;
    private final GreetingThreads threads;
    private final Thread acceptor;

    /**
     * @param server bound; closed by this listener
     * @param threads owned by this listener; ended with it
     * @param onFatal gets the error that ended the accepting thread, if {@link #close} did not end it
     */
    public StreamListener(
            ServerSocketChannel server,
            GreetingThreads.Greeter greeter,
            GreetingThreads threads,
            Consumer<Throwable> onFatal) {
        this.server = server;
        this.greeter = greeter;
        this.threads = threads;
        this.acceptor = Thread.ofPlatform().daemon().name("hearth-streams").start(() -> run(onFatal));
    }

    private void run(Consumer<Throwable> onFatal) {
        try {
            accept();
        } catch (Throwable fatal) {
            LOG.error("data connections are no longer accepted: {}", String.valueOf(fatal), fatal);
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
                    threads.pause();
                }
                continue;
            }
            if (threads.reserve()) {
                threads.start(channel, greeter);
            } else {
                threads.refuse(channel, "too many others are being greeted");
            }
        }
    }

    @Override
    public void close() {
        Deadlines.close(server);
        threads.interrupt();
        try {
            acceptor.join(JOIN);
            threads.awaitEnd(JOIN); // including those of connections accepted in the meantime
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // passed to the caller; the threads end by themselves
        }
    }
}
