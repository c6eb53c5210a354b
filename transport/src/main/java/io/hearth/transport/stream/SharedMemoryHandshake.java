package io.hearth.transport.stream;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.transport.memory.Doorbell;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryFiles;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import jdk.net.ExtendedSocketOptions;

/**
 * Sets up a stream in shared memory between two processes of one user, over two connections to the accepting side's unix socket, one for
 * each direction.
 *
 * <pre>
 * dialler, first connection    "HRL1" | ticket (16)                 from the control link, as for TCP
 * acceptor                     token (16) | length (2) | path       of the memory; nothing at all if the ticket is not valid
 * dialler, second connection   "HRL2" | token (16)                  it has mapped the memory
 * acceptor                     1 (1)                                the path is deleted: no other process can map it
 * </pre>
 */
public final class SharedMemoryHandshake implements AutoCloseable {
    private final SharedMemoryFiles folder;
    private final UserPrincipal user;
    private final ServerSocketChannel server;
    private final int pendingMax;
    private final Semaphore pending;
    private final Map<Bytes, CompletableFuture<SocketChannel>> halves = new ConcurrentHashMap<>(); // at most pendingMax

    private SharedMemoryHandshake(
            SharedMemoryFiles folder, UserPrincipal user, ServerSocketChannel server, int pendingMax) {
        this.folder = folder;
        this.user = user;
        this.server = server;
        this.pendingMax = pendingMax;
        this.pending = new Semaphore(pendingMax);
    }

    /** Memory and sockets of a stream that both ends have set up. */
    record Opened(SharedMemory memory, SharedMemoryStream.Bells bells) {}

    /**
     * Makes a stream from the memory and sockets.
     *
     * @param <L> what a ticket was issued for
     */
    @FunctionalInterface
    interface Arrival<L> {
        void arrived(PendingStreams<L, OpenStream>.Greeting greeting, Opened opened) throws IOException;
    }

    /**
     * Starts to listen; no connection is accepted before {@link #server} is served.
     *
     * @param pendingMax most streams that are set up at once
     * @throws SetupException if the socket cannot be made; its text says why
     */
    public static SharedMemoryHandshake open(Optional<HearthHome> home, int pendingMax) throws SetupException {
        SharedMemoryFiles folder = SharedMemoryFiles.open(home);
        try {
            var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(folder.socket()));
                Files.setPosixFilePermissions(folder.socket(), PosixFilePermissions.fromString("rw-------"));
                return new SharedMemoryHandshake(folder, Files.getOwner(folder.socket()), server, pendingMax);
            } catch (IOException failed) {
                server.close();
                throw failed;
            }
        } catch (IOException | UnsupportedOperationException failed) {
            throw new SetupException(
                    "cannot open the local socket " + folder.socket() + ": " + failed.getMessage()
                            + "; check that the folder is yours and not full",
                    failed);
        }
    }

    /** The same handshake as in a process of another user, for tests of admission. */
    SharedMemoryHandshake as(UserPrincipal other) {
        return new SharedMemoryHandshake(folder, other, server, pendingMax);
    }

    public ServerSocketChannel server() {
        return server;
    }

    /** Most connections in their handshake at once: two for each stream. */
    public int connectionsMax() {
        return 2 * pendingMax;
    }

    /** Path of this node's socket, as it is sent to peers. */
    String path() {
        return folder.socket().toString();
    }

    /**
     * Serves a connection. Its user and its ticket must be valid before anything is sent or mapped.
     *
     * @param redeem redeems the ticket
     * @param token fresh, unpredictable
     * @param limitNanos longest wait for the second connection
     */
    <L> void greet(
            SocketChannel channel,
            Function<Bytes, Optional<PendingStreams<L, OpenStream>.Greeting>> redeem,
            Supplier<Bytes> token,
            long limitNanos,
            Arrival<L> arrival)
            throws IOException {
        requireUser(channel);
        LocalPreamble.Said said = LocalPreamble.read(channel);
        if (said.isSecond()) {
            CompletableFuture<SocketChannel> half = halves.remove(said.secret());
            if (half == null || !half.complete(channel)) {
                throw new IOException("its token is unknown, used or too old");
            }
            return;
        }
        try (var greeting = redeem.apply(said.secret()).orElseThrow(() -> new IOException(DataPort.UNKNOWN_TICKET))) {
            if (!pending.tryAcquire()) {
                throw new IOException("too many local streams are being set up");
            }
            try {
                arrival.arrived(greeting, pair(channel, token.get(), limitNanos));
            } finally {
                pending.release();
            }
        }
    }

    private Opened pair(SocketChannel first, Bytes token, long limitNanos) throws IOException {
        SharedMemoryFiles.Made made = folder.make();
        var half = new CompletableFuture<SocketChannel>();
        halves.put(token, half);
        if (!server.isOpen()) {
            half.cancel(false); // close() may not have seen it
        }
        try {
            LocalPreamble.answer(first, token, made.path());
            SocketChannel second = half.get(limitNanos, TimeUnit.NANOSECONDS);
            Files.delete(made.path());
            LocalPreamble.ready(second);
            return new Opened(made.memory(), new SharedMemoryStream.Bells(new Doorbell(first), new Doorbell(second)));
        } catch (IOException failed) {
            throw abandoned(made, half, failed);
        } catch (TimeoutException | ExecutionException failed) {
            throw abandoned(made, half, new IOException("its second connection did not come", failed));
        } catch (CancellationException closing) {
            throw abandoned(made, half, new IOException("this node is closing", closing));
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            throw abandoned(made, half, new IOException("this node is closing", closing));
        } finally {
            halves.remove(token);
        }
    }

    private static IOException abandoned(
            SharedMemoryFiles.Made made, CompletableFuture<SocketChannel> half, IOException why) throws IOException {
        if (!half.cancel(false) && half.isDone() && !half.isCancelled()) {
            Deadlines.close(half.join());
        }
        made.memory().leave();
        Files.deleteIfExists(made.path());
        return why;
    }

    /**
     * Runs the dialling side.
     *
     * @param path from the peer's ticket
     * @param limitNanos time limit for all of it
     * @throws IOException if shared memory is not possible for any reason; then TCP can be used
     */
    Opened dial(String path, Bytes ticket, Deadlines deadlines, long limitNanos) throws IOException {
        UnixDomainSocketAddress address = address(path);
        var first = SocketChannel.open(StandardProtocolFamily.UNIX);
        var second = SocketChannel.open(StandardProtocolFamily.UNIX);
        try (var _ = deadlines.closeAfter(first, limitNanos);
                var _ = deadlines.closeAfter(second, limitNanos)) {
            first.connect(address);
            requireUser(first);
            LocalPreamble.writeFirst(first, ticket);
            LocalPreamble.Answer answer = LocalPreamble.readAnswer(first);
            if (!SharedMemoryFiles.isMemoryName(answer.memory())) {
                throw new IOException("the path of its memory is not one of a local stream");
            }
            SharedMemory memory = SharedMemory.open(answer.memory(), user);
            try {
                second.connect(address);
                LocalPreamble.writeSecond(second, answer.token());
                LocalPreamble.awaitReady(second);
            } catch (IOException failed) {
                memory.leave();
                throw failed;
            }
            return new Opened(memory, new SharedMemoryStream.Bells(new Doorbell(first), new Doorbell(second)));
        } catch (IOException failed) {
            Deadlines.close(first);
            Deadlines.close(second);
            throw failed;
        }
    }

    private static UnixDomainSocketAddress address(String path) throws IOException {
        try {
            Path socket = Path.of(path);
            if (SharedMemoryFiles.isSocketName(socket)) {
                return UnixDomainSocketAddress.of(socket);
            }
        } catch (InvalidPathException nonsense) {
            throw new IOException("its path is not valid", nonsense);
        }
        throw new IOException("its path is not one of a local stream");
    }

    private void requireUser(SocketChannel channel) throws IOException {
        UserPrincipal other =
                channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (!other.equals(user)) {
            throw new IOException("it belongs to another user");
        }
    }

    /** Closes the server channel, ends the waits for second connections, and removes the socket's file. */
    @Override
    public void close() {
        Deadlines.close(server);
        halves.values().forEach(half -> half.cancel(false));
        try {
            Files.deleteIfExists(folder.socket());
        } catch (IOException leftBehind) {
            // the next start removes it
        }
    }
}
