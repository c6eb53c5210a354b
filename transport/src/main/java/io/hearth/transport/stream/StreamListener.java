package io.hearth.transport.stream;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections to this node's unix socket, which only processes of its user reach; each gets a short-lived thread until it
 * has become a stream or was closed.
 */
public final class StreamListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);

    /** How long a close waits for threads. */
    static final Duration JOIN = Duration.ofSeconds(2);

    private final ServerSocketChannel server;
    private final GreetingThreads.Greeter greeter;
    private final GreetingThreads threads;
    private final Thread acceptor;

    /**
     * @param server bound; closed by this listener
     * @param threads its own; ended with this listener
     * @param onFatal told what ended the accepting thread, if it was not {@link #close}
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
            if (threads.reserve()) {
                threads.start(channel, greeter);
            } else {
                threads.refuse(channel, "too many others are being greeted");
            }
        }
    }

    /** Out of file descriptors, most likely: they do not come back faster by asking faster. */
    static void pause() {
        try {
            Thread.sleep(Duration.ofMillis(100));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Deadlines.close(server);
        threads.interrupt();
        try {
            acceptor.join(JOIN);
            threads.awaitEnd(JOIN); // those too that were accepted in the meantime
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // the caller is told; the threads end by themselves
        }
    }
}
