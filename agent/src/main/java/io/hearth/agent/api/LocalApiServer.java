package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.agent.status.VersionedValue;
import io.hearth.core.SetupException;
import io.hearth.identity.Labels;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of this machine's own commands on a unix socket, read-only.
 *
 * <p>One JSON object a line in each direction. {@code {"ask":"status"}} is answered once; {@code {"ask":"watch"}} is answered at once and
 * again at each change, until the caller hangs up. Other requests, such as {@code topology}, are answered once. Each answer is the newest published status, so there is an answer even if the owner
 * thread is stuck; then it also contains {@code age_ms} and {@code stuck}. The server hangs up on a client that sends no request or does
 * not read its answer. Watchers may not take all places, so that other clients get one. Only processes of the same user are served
 * (SO_PEERCRED), and the socket is in a folder that only this user may enter.
 */
public final class LocalApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalApiServer.class);
    private static final int CLIENTS_MAX = 32;
    private static final int WATCHERS_MAX = 24;
    private static final int QUESTION_BYTES_MAX = 1024;
    private static final Duration QUESTION_MAX = Duration.ofSeconds(1);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    /** Age at which the status counts as stuck. The owner thread publishes four times a second, and only a slow disk delays it for long. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(2);

    private final Path path;
    private final UserPrincipal self;
    private final ServerSocketChannel server;
    private final VersionedValue<JsonObject> status;
    private final SortedMap<String, Supplier<JsonObject>> others;
    private final SortedMap<String, Function<String, JsonObject>> withArgument;
    private final LongSupplier ageNanos;
    private final Semaphore places = new Semaphore(CLIENTS_MAX);
    private final Semaphore watching = new Semaphore(WATCHERS_MAX);
    private final Set<Thread> clients = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    private LocalApiServer(
            Path path,
            ServerSocketChannel server,
            UserPrincipal self,
            VersionedValue<JsonObject> status,
            Map<String, Supplier<JsonObject>> others,
            Map<String, Function<String, JsonObject>> withArgument,
            LongSupplier ageNanos) {
        this.path = path;
        this.self = self;
        this.server = server;
        this.status = status;
        this.others = new TreeMap<>(others);
        this.withArgument = new TreeMap<>(withArgument);
        this.ageNanos = ageNanos;
        this.acceptor = Thread.ofVirtual().name("hearth-local-api").start(this::accept);
    }

    /**
     * Starts serving.
     *
     * @param path of the socket; a stale socket, where no process answers, is replaced; a file of another kind is an error
     * @param others further requests, each with its answer; a client's thread asks for it
     * @param ageNanos largest possible age of the newest status
     * @throws SetupException if another agent serves there, or the path cannot be used; its text says what to do
     */
    public static LocalApiServer start(
            Path path,
            VersionedValue<JsonObject> status,
            Map<String, Supplier<JsonObject>> others,
            LongSupplier ageNanos)
            throws SetupException {
        return start(path, status, others, Map.of(), ageNanos);
    }

    /**
     * As {@link #start(Path, VersionedValue, Map, LongSupplier)}, with requests that have an argument.
     *
     * @param withArgument the first word of these requests, each with its answer to the text after the blank
     */
    public static LocalApiServer start(
            Path path,
            VersionedValue<JsonObject> status,
            Map<String, Supplier<JsonObject>> others,
            Map<String, Function<String, JsonObject>> withArgument,
            LongSupplier ageNanos)
            throws SetupException {
        try {
            clearStale(path);
            var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                server.bind(UnixDomainSocketAddress.of(path));
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
                return new LocalApiServer(path, server, Files.getOwner(path), status, others, withArgument, ageNanos);
            } catch (IOException failed) {
                server.close();
                throw failed;
            }
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot open the local socket " + path + ": " + failed.getMessage()
                            + "; check that the folder is yours and not full",
                    failed);
        }
    }

    private static void clearStale(Path path) throws IOException, SetupException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        BasicFileAttributes kind = Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!kind.isOther()) {
            throw new SetupException(path + " is not a socket but a "
                    + (kind.isSymbolicLink() ? "symbolic link" : "file") + "; look at it and remove it");
        }
        Optional<LocalApiClient> other = LocalApiClient.connect(path);
        if (other.isPresent()) {
            other.get().close();
            throw new SetupException("an agent of this user already runs (it listens at " + path + "); stop it first");
        }
        Files.delete(path);
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                if (!sameUser(client) || !places.tryAcquire()) {
                    client.close();
                    continue;
                }
                Thread thread = Thread.ofVirtual().name("hearth-local-client").unstarted(() -> serve(client));
                clients.add(thread);
                thread.start();
            } catch (AsynchronousCloseException closed) {
                return; // close() was called
            } catch (IOException failed) {
                if (server.isOpen()) {
                    LOG.warn("local api refused a connection: {}", failed.getMessage());
                }
            }
        }
    }

    /** Whether the client is of the same user, by user id: users without an entry in the user database have no name. */
    private boolean sameUser(SocketChannel client) throws IOException {
        UserPrincipal user = client.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (!user.equals(self)) {
            LOG.warn("local api refused user={}: it serves {} only", Labels.clean(user.getName()), self.getName());
            return false;
        }
        return true;
    }

    private void serve(SocketChannel client) {
        try (client) {
            String question = question(client);
            switch (question) {
                case "status" -> write(client, aged(status.value()));
                case "watch" -> watchIfFree(client);
                default -> write(client, other(question));
            }
        } catch (IOException | InterruptedException gone) {
            LOG.debug("local client left: {}", gone.getMessage());
        } finally {
            clients.remove(Thread.currentThread());
            places.release();
        }
    }

    private JsonObject other(String question) {
        Supplier<JsonObject> answer = others.get(question);
        if (answer != null) {
            return aged(answer.get());
        }
        String[] words = question.split(" ", 2);
        Function<String, JsonObject> sized = withArgument.get(words[0]);
        return sized == null || words.length < 2
                ? error("unknown question; ask status or watch"
                        + Stream.concat(others.keySet().stream(), withArgument.keySet().stream())
                                .map(each -> " or " + each)
                                .collect(Collectors.joining()))
                : aged(sized.apply(words[1]));
    }

    private void watchIfFree(SocketChannel client) throws IOException, InterruptedException {
        if (!watching.tryAcquire()) {
            write(client, error("too many programs watch this agent already, " + WATCHERS_MAX + " may"));
            return;
        }
        try {
            watch(client);
        } finally {
            watching.release();
        }
    }

    /** The status with its age, if the age shows that the owner thread is stuck. */
    private JsonObject aged(JsonObject newest) {
        long age = ageNanos.getAsLong();
        if (age < STUCK_AFTER.toNanos()) {
            return newest;
        }
        JsonObject old = newest.deepCopy();
        old.addProperty("age_ms", age / 1_000_000);
        old.addProperty(
                "stuck",
                "the agent's own thread has not finished a turn for " + age / 1_000_000_000
                        + " s, so this is what it knew then; look at its output and start it again");
        return old;
    }

    private void watch(SocketChannel client) throws IOException, InterruptedException {
        Thread writer = Thread.currentThread();
        Thread.ofVirtual().name("hearth-local-hangup").start(() -> {
            awaitHangUp(client);
            writer.interrupt();
        });
        long seen = 0;
        while (client.isOpen()) {
            VersionedValue.Version<JsonObject> next = status.awaitAfter(seen);
            write(client, aged(next.value()));
            seen = next.number();
        }
    }

    /** Waits until a watcher hangs up, so that it does not keep its place until the next change, perhaps for days. */
    private static void awaitHangUp(SocketChannel client) {
        try {
            ByteBuffer ignored = ByteBuffer.allocate(QUESTION_BYTES_MAX);
            while (client.read(ignored) >= 0) {
                ignored.clear(); // a watcher sends nothing more
            }
        } catch (IOException gone) {
            LOG.debug("local client left: {}", gone.getMessage());
        }
    }

    /** The value of "ask" in the client's one line; empty for anything else. */
    private static String question(SocketChannel client) throws IOException {
        var buffer = ByteBuffer.allocate(QUESTION_BYTES_MAX);
        try (var _ = new Limit(client, QUESTION_MAX)) {
            while (buffer.hasRemaining() && client.read(buffer) >= 0) {
                String text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
                if (text.endsWith("\n")) {
                    return Json.text(text, "ask").orElse("");
                }
            }
            return "";
        }
    }

    private static JsonObject error(String why) {
        var answer = new JsonObject();
        answer.addProperty("error", why);
        return answer;
    }

    private static void write(SocketChannel client, JsonObject answer) throws IOException {
        ByteBuffer line = ByteBuffer.wrap((answer + "\n").getBytes(StandardCharsets.UTF_8));
        try (var _ = new Limit(client, ANSWER_MAX)) {
            while (line.hasRemaining()) {
                client.write(line);
            }
        }
    }

    /** Closes a channel that is still in use after a time limit, which ends its waiting threads. */
    private static final class Limit implements AutoCloseable {
        private final CountDownLatch over = new CountDownLatch(1);

        Limit(SocketChannel client, Duration longest) {
            Thread.ofVirtual().name("hearth-local-limit").start(() -> {
                try {
                    if (!over.await(longest.toNanos(), TimeUnit.NANOSECONDS)) {
                        client.close();
                    }
                } catch (IOException | InterruptedException gone) {
                    LOG.debug("local client left: {}", gone.getMessage());
                }
            });
        }

        @Override
        public void close() {
            over.countDown();
        }
    }

    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
            acceptor.join();
            for (Thread client : clients) {
                client.interrupt(); // closes its channel too
                client.join();
            }
        } catch (IOException failed) {
            LOG.warn("local api did not close cleanly: {}", failed.getMessage());
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
