package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.agent.http.ApiAnswer;
import io.hearth.agent.http.ApiRequest;
import io.hearth.agent.http.HttpListener;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalApiClientTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final AtomicInteger count = new AtomicInteger();

    private Path path() {
        return folder.resolve("agent.sock");
    }

    private static JsonObject number(int number) {
        var json = new JsonObject();
        json.addProperty("number", number);
        json.addProperty("text", "ä€𝄞");
        return json;
    }

    private ApiAnswer answer(ApiRequest request) {
        return switch (request.path()) {
            case "/refused" -> ApiAnswer.error(400, "no such size; name another");
            case "/unknown" -> ApiAnswer.error(404, "nothing here");
            case "/feed" -> new ApiAnswer.Feed(() -> number(count.incrementAndGet()));
            case "/text" -> ApiAnswer.text("text/plain", "ä\nb");
            default -> ApiAnswer.json(number(request.body().size()));
        };
    }

    private HttpListener agent() throws SetupException {
        return HttpListener.unix(path(), this::answer);
    }

    @Test
    void anAnswerComesWholeAndAnErrorWithItsReason() throws Exception {
        try (HttpListener _ = agent()) {
            assertEquals(Optional.of(number(0)), LocalApiClient.get(path(), "/x", LONG));
            assertEquals(Optional.of(number(0)), LocalApiClient.post(path(), "/x", LONG));
            assertEquals(Optional.of("ä\nb"), LocalApiClient.text(path(), "/text", LONG));
            LocalApiClient.put(path(), "/x", number(7), LONG);
            LocalApiClient.delete(path(), "/x", LONG);
            var refused = assertThrows(SetupException.class, () -> LocalApiClient.get(path(), "/refused", LONG));
            assertEquals("the agent refused: no such size; name another", refused.getMessage());
            var unknown = assertThrows(SetupException.class, () -> LocalApiClient.get(path(), "/unknown", LONG));
            assertTrue(String.valueOf(unknown.getMessage()).contains("another version"), unknown::toString);
        }
        assertEquals(Optional.empty(), LocalApiClient.get(path(), "/x", LONG));
    }

    @Test
    void aFeedIsReadLineByLineUntilTheAgentEnds() throws Exception {
        LocalApiClient feed;
        try (HttpListener _ = agent()) {
            feed = LocalApiClient.connect(path()).orElseThrow();
            feed.watch("/feed");
            for (int i = 1; i < 1_000; i++) {
                assertEquals(Optional.of(number(i)), feed.next());
            }
            try (LocalApiClient other = LocalApiClient.connect(path()).orElseThrow()) {
                assertThrows(HearthException.class, () -> other.watch("/refused"));
            }
        }
        try (feed) {
            while (feed.next().isPresent()) {
                assertTrue(count.get() > 0, "what was under way still comes");
            }
        }
    }

    /** As with a stopped process: the kernel accepts connections and bytes for it, until its backlog is full. */
    @Test
    void anAgentThatDoesNotAnswerIsSaidToInTime() throws Exception {
        try (var stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stopped.bind(UnixDomainSocketAddress.of(path()), 1);
            var waiting = new ArrayList<LocalApiClient>();
            for (String what : List.of("does not answer", "takes no connection")) {
                long started = System.nanoTime();
                var silent =
                        assertThrows(SetupException.class, () -> LocalApiClient.status(path(), Duration.ofMillis(300)));
                assertTrue(String.valueOf(silent.getMessage()).contains(what), silent::toString);
                assertTrue(String.valueOf(silent.getMessage()).contains("stopped, stuck or overloaded"));
                assertTrue(System.nanoTime() - started < 60_000_000_000L);
                fill(waiting);
            }
            waiting.forEach(LocalApiClient::close);
        }
    }

    /** Opens connections until no more are accepted. */
    private void fill(List<LocalApiClient> waiting) {
        try {
            while (true) {
                waiting.add(LocalApiClient.connect(path()).orElseThrow());
            }
        } catch (SetupException full) {
            assertTrue(String.valueOf(full.getMessage()).contains("takes no connection"), full::toString);
        }
    }

    @Test
    void idleClientsDoNotKeepACommandFromItsAnswer() throws Exception {
        var idle = new ArrayList<SocketChannel>();
        try (HttpListener _ = agent()) {
            for (int i = 0; i < 64; i++) {
                idle.add(SocketChannel.open(UnixDomainSocketAddress.of(path())));
            }
            assertEquals(Optional.of(number(0)), LocalApiClient.get(path(), "/x", LONG));
        } finally {
            for (SocketChannel silent : idle) {
                silent.close();
            }
        }
    }

    @Test
    void whereNobodyServesNobodyIsAsked() throws Exception {
        assertEquals(Optional.empty(), LocalApiClient.status(path(), LONG));
        try (var crashed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            crashed.bind(UnixDomainSocketAddress.of(path()));
        }
        assertTrue(Files.exists(path()));
        assertEquals(Optional.empty(), LocalApiClient.status(path(), LONG));
    }
}
