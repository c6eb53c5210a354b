package io.hearth.agent.api;

import com.google.gson.JsonObject;
import io.hearth.core.Bytes;
import io.hearth.core.HearthException;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
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
 * Sends requests to the local agent over its unix socket, as HTTP/1.1 with one request a connection; see {@link LocalApi} for the requests.
 * It uses little of Java and no library but that for JSON, because commands such as {@code status} start with it.
 *
 * <p>An agent may be stopped, stuck or overloaded; then its socket neither accepts a connection nor answers. So each action with a time
 * limit runs on its own thread, and the channel is closed after the limit.
 */
public final class LocalApiClient implements AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofMillis(1_500);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final int LINE_BYTES_MAX = 8 * 1024 * 1024; // more than any line of a feed
    private static final int NOT_FOUND = 404;
    private static final int ERRORS_FROM = 400;

    private final SocketChannel channel;
    private final InputStream answers;

    private LocalApiClient(SocketChannel channel) {
        this.channel = channel;
        this.answers = new BufferedInputStream(Channels.newInputStream(channel));
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
            return Optional.of(new LocalApiClient(channel));
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

    /** As {@link #get} of the status. */
    public static Optional<JsonObject> status(Path socket, Duration longest) throws HearthException {
        return get(socket, LocalApi.STATUS, longest);
    }

    /**
     * Requests something and waits for the answer.
     *
     * @param target path and query, such as {@code /v1/plan?bytes=4096}
     * @param longest time limit for everything
     * @return a JSON object; empty when no agent serves at {@code socket}
     * @throws SetupException if an agent serves there and did not answer in time, or refused; its text says what to do
     */
    public static Optional<JsonObject> get(Path socket, String target, Duration longest) throws HearthException {
        Optional<Bytes> body = exchange(socket, "GET", target, new byte[0], longest);
        return body.isEmpty() ? Optional.empty() : Optional.of(json(body.get()));
    }

    /** As {@link #get}, for an answer that is a text. */
    public static Optional<String> text(Path socket, String target, Duration longest) throws HearthException {
        return exchange(socket, "GET", target, new byte[0], longest)
                .map(body -> new String(body.toArray(), StandardCharsets.UTF_8));
    }

    /** As {@link #get}, by POST without a body. */
    public static Optional<JsonObject> post(Path socket, String target, Duration longest) throws HearthException {
        Optional<Bytes> answer = exchange(socket, "POST", target, new byte[0], longest);
        return answer.isEmpty() ? Optional.empty() : Optional.of(json(answer.get()));
    }

    /** Stores something in the agent, if one serves at {@code socket}. */
    public static void put(Path socket, String target, JsonObject body, Duration longest) throws HearthException {
        var _ = exchange(socket, "PUT", target, body.toString().getBytes(StandardCharsets.UTF_8), longest);
    }

    /** Removes something from the agent, if one serves at {@code socket}. */
    public static void delete(Path socket, String target, Duration longest) throws HearthException {
        var _ = exchange(socket, "DELETE", target, new byte[0], longest);
    }

    private static Optional<Bytes> exchange(Path socket, String method, String target, byte[] body, Duration longest)
            throws HearthException {
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
                client.request(method, target, body);
                Duration rest = longest.minusNanos(System.nanoTime() - started);
                Optional<Reply> reply = within(client.channel, rest, client::reply);
                if (reply.isEmpty()) {
                    throw silent(socket, "does not answer", longest);
                }
                return Optional.of(reply.get().checked());
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

    /**
     * Requests a feed, and waits until it begins; {@link #next} then reads it.
     *
     * @throws HearthException if the agent refuses or hangs up; its text says why
     */
    public void watch(String target) throws HearthException {
        try {
            request("GET", target, new byte[0]);
            Head head = head();
            if (head.status() >= ERRORS_FROM) {
                var _ = new Reply(head.status(), Bytes.of(answers.readNBytes(head.length()))).checked();
            }
        } catch (IOException gone) {
            throw new SetupException(
                    "the agent closed its local socket: " + gone.getMessage() + "; look at its output", gone);
        }
    }

    /** Waits for the next object of the feed without a time limit; empty if the agent hung up. */
    public Optional<JsonObject> next() throws HearthException {
        try {
            return Optional.of(Json.object(line()));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private void request(String method, String target, byte[] body) throws IOException {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(
                (method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
                                + body.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(body);
        ByteBuffer whole = ByteBuffer.wrap(bytes.toByteArray()); // less than any socket holds
        while (whole.hasRemaining()) {
            channel.write(whole);
        }
    }

    /** Status and body length of an answer; the length is 0 for a feed. */
    private record Head(int status, int length) {}

    private record Reply(int status, Bytes body) {
        /** The body of a good answer; the reason of a bad one is thrown. */
        Bytes checked() throws HearthException {
            if (status < ERRORS_FROM) {
                return body;
            }
            if (status == NOT_FOUND) {
                throw new SetupException(
                        "the agent does not know this request: it is of another version; start it again with this one");
            }
            String text = new String(body.toArray(), StandardCharsets.UTF_8);
            throw new SetupException(
                    "the agent refused: " + Json.text(text, "error").orElse("status " + status));
        }
    }

    private Reply reply() throws IOException {
        Head head = head();
        byte[] body = answers.readNBytes(head.length());
        if (body.length < head.length()) {
            throw new EOFException("the agent hung up");
        }
        return new Reply(head.status(), Bytes.of(body));
    }

    private Head head() throws IOException {
        String[] first = line().split(" ", 3);
        int length = 0;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = number(header.substring("content-length:".length()));
            }
        }
        return new Head(first.length < 2 ? ERRORS_FROM : number(first[1]), length);
    }

    private static int number(String text) throws IOException {
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException malformed) {
            throw new IOException("the answer is not HTTP", malformed);
        }
    }

    /** The next line without its end. */
    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int next = answers.read(); next != '\n'; next = answers.read()) {
            if (next < 0 || line.size() >= LINE_BYTES_MAX) {
                throw new EOFException("the agent hung up");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8).stripTrailing();
    }

    private static JsonObject json(Bytes body) throws MalformedMessageException {
        return Json.object(new String(body.toArray(), StandardCharsets.UTF_8));
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

    /** Ends a waiting {@link #next()} from another thread. */
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
