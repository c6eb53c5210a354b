package io.hearth.transport.stream;

import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.SocketTuning;
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
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of data streams, which any computer on the network can reach.
 *
 * <p>A connection is closed at once unless a valid ticket was sent to its address. One thread reads the first {@value
 * StreamPreamble#DIALER_BYTES} bytes of each connection without blocking. Only a connection with a valid ticket gets its own thread. Silent
 * connections have a second and {@value #WAITING_MAX} places, and a new one replaces the oldest. So many silent connections cannot keep a
 * member out, which sends its bytes at once.
 */
public final class DataPort implements AutoCloseable {
    /** Time limit for the first bytes. */
    public static final long PREAMBLE_NANOS = 1_000_000_000L;

    /** Why a connection with another ticket is refused. */
    static final String UNKNOWN_TICKET = "its ticket is unknown, used or too old";

    /** Most connections that wait for their first bytes. */
    static final int WAITING_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(DataPort.class);
    private static final int ACCEPTED_AT_ONCE = 64;

    /** Decides which connections are admitted. Called by the port's own thread; it must not block. */
    public interface Admission {
        /** Whether a valid ticket was sent to a node at {@code remote} that reaches this node at {@code local}. */
        boolean isExpected(InetAddress remote, InetAddress local);

        /**
         * Redeems the ticket.
         *
         * @return the rest of the work, for its own thread; empty if the ticket is not valid
         */
        Optional<GreetingThreads.Greeter> redeem(StreamPreamble.Dialed dialed);
    }

    /** A connection that waits for its first bytes. */
    private record Waiting(SocketChannel channel, ByteBuffer in, long sinceNanos) {
        // Two connections are never equal.
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
    private final Admission admission;
    private final GreetingThreads threads;
    private final long preambleNanos;
    private final LinkedHashSet<Waiting> waiting = new LinkedHashSet<>(); // the port's thread only, oldest first
    private final List<Waiting> complete = new ArrayList<>(); // the port's thread only, emptied each round
    private final Thread thread;

    /**
     * @param server bound; closed by this port
     * @param threads owned by this port; ended with it
     * @param preambleNanos time limit for the first bytes
     * @param onFatal gets the error that ended the port's thread, if {@link #close} did not end it
     */
    public DataPort(
            ServerSocketChannel server,
            Admission admission,
            GreetingThreads threads,
            long preambleNanos,
            Consumer<Throwable> onFatal)
            throws IOException {
        this.server = server;
        this.admission = admission;
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
            SocketTuning.mark(server);
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
            LOG.error("data connections are no longer accepted: {}", String.valueOf(fatal), fatal);
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
            selector.selectNow(); // removes their cancelled keys
            complete.forEach(this::greet);
            complete.clear();
        }
    }

    private long waitMillis() {
        if (waiting.isEmpty()) {
            return 0; // no timeout
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
                    threads.pause();
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
                || !admission.isExpected(remote.getAddress(), local.getAddress())) {
            threads.refuse(channel, "no ticket was sent to that address");
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
            threads.start(channel, admission.redeem(dialed).orElseThrow(() -> new IOException(UNKNOWN_TICKET)));
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
            Thread.currentThread().interrupt(); // passed to the caller; the threads end by themselves
        }
    }
}
