package io.hearth.transport.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of data streams, which everybody on the network can reach.
 *
 * <p>A connection is closed at once unless a ticket is out for its address. One thread reads the {@value
 * StreamPreamble#DIALER_BYTES} bytes that each sends first, without blocking; only one that shows a good ticket gets a thread of
 * its own. Silent connections have a second and {@value #WAITING_MAX} places, and the eldest makes room for the next, so a
 * crowd of them keeps nobody out: a member sends its bytes with the connection.
 */
public final class DataPort implements AutoCloseable {
    /** How long the first bytes may take. */
    public static final long PREAMBLE_NANOS = 1_000_000_000L;

    /** Connections whose first bytes are waited for. */
    static final int WAITING_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(DataPort.class);
    private static final int ACCEPTED_AT_ONCE = 64;

    /** Who is let in. Called by the port's own thread, so nothing of it may block. */
    public interface Doorkeeper {
        /** Whether a ticket is out for somebody at {@code remote} who reaches this node at {@code local}. */
        boolean isExpected(InetAddress remote, InetAddress local);

        /**
         * Redeems the ticket.
         *
         * @return what is left to do in a thread of its own
         * @throws IOException the ticket is not good
         */
        GreetingThreads.Greeter redeem(StreamPreamble.Dialed dialed) throws IOException;
    }

    /** A connection whose first bytes are waited for. */
    private record Waiting(SocketChannel channel, ByteBuffer in, long sinceNanos) {
        // Two connections are never one, whatever they sent.
        @Override
        public boolean equals(Object other) {
            return other == this;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(channel);
        }
    }

    private final ServerSocketChannel server;
    private final Selector selector;
    private final Doorkeeper doorkeeper;
    private final GreetingThreads threads;
    private final long preambleNanos;
    private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>(); // the port's thread only, eldest first
    private final List<Waiting> complete = new ArrayList<>(); // the same, emptied each round
    private final Thread thread;

    /**
     * @param server bound; closed by this port
     * @param threads its own; ended with this port
     * @param preambleNanos for the first bytes
     * @param onFatal told what ended the port's thread, if it was not {@link #close}
     */
    public DataPort(
            ServerSocketChannel server,
            Doorkeeper doorkeeper,
            GreetingThreads threads,
            long preambleNanos,
            Consumer<Throwable> onFatal)
            throws IOException {
        this.server = server;
        this.doorkeeper = doorkeeper;
        this.threads = threads;
        this.preambleNanos = preambleNanos;
        this.selector = Selector.open();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        this.thread = Thread.ofPlatform().daemon().name("hearth-streams").start(() -> run(onFatal));
    }

    /** A listening socket on any free port of {@code bind}. */
    public static ServerSocketChannel bind(InetAddress bind) throws IOException {
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
            while (server.isOpen()) {
                round();
            }
        } catch (ClosedSelectorException closed) {
            // close() was called
        } catch (Throwable fatal) {
            LOG.error("data connections are accepted no more: {}", String.valueOf(fatal), fatal);
            onFatal.accept(fatal);
        } finally {
            waiting.forEach(silent -> Deadlines.close(silent.channel()));
        }
    }

    private void round() throws IOException {
        selector.select(waitMillis());
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            if (key.attachment() instanceof Waiting connection) {
                if (key.isValid()) {
                    read(key, connection);
                }
            } else {
                accept();
            }
        }
        while (!waiting.isEmpty() && System.nanoTime() - waiting.getFirst().sinceNanos() >= preambleNanos) {
            forget(waiting.getFirst(), "its first bytes did not come in time");
        }
        if (!complete.isEmpty()) {
            selector.selectNow(); // lets go of their cancelled keys
            complete.forEach(this::greet);
            complete.clear();
        }
    }

    private long waitMillis() {
        if (waiting.isEmpty()) {
            return 0; // until something comes
        }
        long leftNanos = preambleNanos - (System.nanoTime() - waiting.getFirst().sinceNanos());
        return Math.max(1, (leftNanos + 999_999) / 1_000_000);
    }

    private void accept() {
        for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
            SocketChannel channel;
            try {
                channel = server.accept();
            } catch (IOException failed) {
                if (server.isOpen()) {
                    LOG.warn("a data connection could not be accepted: {}", failed.getMessage());
                    StreamListener.pause();
                }
                return;
            }
            if (channel == null) {
                return;
            }
            try {
                admit(channel);
            } catch (IOException goneAlready) {
                threads.refuse(channel, String.valueOf(goneAlready.getMessage()));
            }
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        if (!(channel.getRemoteAddress() instanceof InetSocketAddress remote)
                || !(channel.getLocalAddress() instanceof InetSocketAddress local)
                || !doorkeeper.isExpected(remote.getAddress(), local.getAddress())) {
            threads.refuse(channel, "nobody there has a ticket");
            return;
        }
        if (waiting.size() >= WAITING_MAX) {
            forget(waiting.getFirst(), "it was silent while others came");
        }
        channel.configureBlocking(false);
        var silent = new Waiting(channel, ByteBuffer.allocate(StreamPreamble.DIALER_BYTES), System.nanoTime());
        channel.register(selector, SelectionKey.OP_READ, silent);
        waiting.add(silent);
    }

    private void read(SelectionKey key, Waiting connection) {
        try {
            if (connection.channel().read(connection.in()) < 0) {
                forget(connection, "the other side hung up before its first bytes");
            } else if (!connection.in().hasRemaining()) {
                key.cancel();
                waiting.remove(connection);
                complete.add(connection);
            }
        } catch (IOException reset) {
            forget(connection, String.valueOf(reset.getMessage()));
        }
    }

    private void forget(Waiting connection, String why) {
        waiting.remove(connection);
        threads.refuse(connection.channel(), why);
    }

    private void greet(Waiting connection) {
        SocketChannel channel = connection.channel();
        if (!threads.reserve()) {
            threads.refuse(channel, "too many others are being greeted");
            return;
        }
        try {
            StreamPreamble.Dialed dialed = StreamPreamble.dialed(connection.in().flip())
                    .orElseThrow(() -> new IOException("not a Hearth stream: wrong magic"));
            channel.configureBlocking(true);
            threads.start(channel, doorkeeper.redeem(dialed));
        } catch (IOException refused) {
            threads.release();
            threads.refuse(channel, String.valueOf(refused.getMessage()));
        }
    }

    @Override
    public void close() {
        Deadlines.close(server);
        threads.interrupt();
        try {
            selector.close();
        } catch (IOException closedAnyway) {
            LOG.debug("closing the data port: {}", closedAnyway.getMessage());
        }
        try {
            thread.join(StreamListener.JOIN);
            threads.awaitEnd(StreamListener.JOIN);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt(); // the caller is told; the threads end by themselves
        }
    }
}
