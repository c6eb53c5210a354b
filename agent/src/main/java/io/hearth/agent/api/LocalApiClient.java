package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests to the local agent over its unix socket; see {@link LocalApiServer} for the requests.
 *
 * <p>An agent may be stopped, stuck or overloaded; then its socket neither accepts a connection nor answers. So each action with a time
 * limit runs on its own thread, and the channel is closed after the limit.
 */
public final class LocalApiClient implements AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofMillis(1_500);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final Path socket;
    private final SocketChannel channel;
    private final BufferedReader answers;

    private LocalApiClient(Path socket, SocketChannel channel) {
        this.socket = socket;
        this.channel = channel;
        this.answers =
                new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8));
    }

    /**
     * Connects to the agent that serves at {@code socket}; empty if none does.
     *
     * @throws SetupException if an agent is there and accepts no connection; its text says what to do
     */
    public static Optional<LocalApiClient> connect(Path socket) throws SetupException {
        return connect(socket, CONNECT_MAX);
    }

    private static Optional<LocalApiClient> connect(Path socket, Duration longest) throws SetupException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            Optional<Boolean> connected =
                    within(channel, longest, () -> channel.connect(UnixDomainSocketAddress.of(socket)));
            if (connected.isEmpty()) {
                throw silent(socket, "takes no connection", longest);
            }
            return Optional.of(new LocalApiClient(socket, channel));
        } catch (ConnectException nobody) {
            return Optional.empty();
        } catch (IOException failed) {
            String why = String.valueOf(failed.getMessage());
            boolean isAbsent = why.toLowerCase(Locale.ROOT).contains("refused") || !Files.exists(socket);
            if (isAbsent) {
                return Optional.empty();
            }
            throw new SetupException(
                    "cannot reach the agent at " + socket + ": " + why + "; look at its output and start it again",
                    failed);
        }
    }

    /** As {@link #answer(Path, String, Duration)} to the request {@code status}. */
    public static Optional<JsonObject> status(Path socket, Duration longest) throws HearthException {
        return answer(socket, "status", longest);
    }

    /**
     * Sends a request and waits for its one answer.
     *
     * @param longest time limit for everything
     * @return empty when no agent serves at {@code socket}
     * @throws SetupException if an agent serves there and did not answer in time; its text says what to do
     */
    public static Optional<JsonObject> answer(Path socket, String question, Duration longest) throws HearthException {
        long started = System.nanoTime();
        while (true) {
            Duration left = longest.minusNanos(System.nanoTime() - started);
            if (!left.isPositive()) {
                throw silent(socket, "hangs up", longest);
            }
            Optional<LocalApiClient> agent = connect(socket, left);
            if (agent.isEmpty()) {
                return Optional.empty();
            }
            try (LocalApiClient client = agent.get()) {
                client.send(question);
                Optional<JsonObject> answer = client.answer(longest.minusNanos(System.nanoTime() - started), longest);
                if (answer.isPresent()) {
                    return answer;
                }
            } catch (IOException hungUp) {
                // it has no free place now; it soon hangs up on idle clients
            }
            pause();
        }
    }

    private static void pause() throws SetupException {
        try {
            Thread.sleep(PAUSE); // no event announces a free place in the agent, another process
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new SetupException("interrupted before the agent answered; ask again", stop);
        }
    }

    /** Sends {@code question}, such as {@code status} or {@code watch}. */
    public void ask(String question) throws SetupException {
        try {
            send(question);
        } catch (IOException gone) {
            throw new SetupException("the agent closed its local socket: " + gone.getMessage(), gone);
        }
    }

    private void send(String question) throws IOException {
        var line = new JsonObject();
        line.addProperty("ask", question);
        ByteBuffer bytes =
                ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)); // less than any socket holds
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Waits for the next answer without a time limit; empty if the agent hung up. */
    public Optional<JsonObject> answer() throws HearthException {
        try {
            return next();
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private Optional<JsonObject> answer(Duration left, Duration longest) throws HearthException {
        try {
            Optional<Optional<String>> line = within(channel, left, () -> Optional.ofNullable(answers.readLine()));
            if (line.isEmpty()) {
                throw silent(socket, "does not answer", longest);
            }
            return line.get().isPresent() ? Optional.of(Json.object(line.get().get())) : Optional.empty();
        } catch (IOException hungUp) {
            return Optional.empty();
        }
    }

    private Optional<JsonObject> next() throws IOException, HearthException {
        String line = answers.readLine();
        return line == null ? Optional.empty() : Optional.of(Json.object(line));
    }

    private static SetupException silent(Path socket, String what, Duration longest) {
        return new SetupException("the agent at " + socket + " " + what + " within " + longest.toMillis() / 1e3
                + " s: it is stopped, stuck or overloaded; look at its output, and start it again if it stays so");
    }

    private interface Action<T> {
        T run() throws IOException;
    }

    /** The result of an action on a channel. If the action takes too long, this closes the channel and returns empty. */
    private static <T> Optional<T> within(SocketChannel channel, Duration longest, Action<T> action)
            throws IOException {
        var outcome = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().name("hearth-local-ask").start(() -> {
            try {
                outcome.complete(action.run());
            } catch (IOException | RuntimeException failed) {
                outcome.completeExceptionally(failed);
            }
        });
        try {
            return Optional.of(outcome.get(Math.max(1, longest.toNanos()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException tooLate) {
            channel.close();
            return Optional.empty();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            channel.close();
            throw new IOException("interrupted", stop);
        } catch (ExecutionException failed) {
            channel.close();
            if (failed.getCause() instanceof RuntimeException bug) {
                throw bug;
            }
            throw failed.getCause() instanceof IOException known ? known : new IOException(failed);
        }
    }

    /** Ends a waiting {@link #answer()} from another thread. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // the connection is gone in any case
            return;
        }
    }
}
