package io.hearth.agent.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.agent.status.VersionedValue;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocalApiServerTest {
    /** The program of another user: connects, sends a request, prints the answer. */
    private static final String CALLER = """
            void main(String[] arguments) throws Exception {
                var address = java.net.UnixDomainSocketAddress.of(arguments[0]);
                try (var channel = java.nio.channels.SocketChannel.open(address)) {
                    var answer = java.nio.ByteBuffer.allocate(1024);
                    try {
                        channel.write(java.nio.ByteBuffer.wrap("{\\"ask\\":\\"status\\"}\\n".getBytes()));
                        channel.read(answer);
                    } catch (java.io.IOException closed) {
                        System.out.println("closed");
                    }
                    System.out.println("bytes=" + answer.position());
                } catch (java.io.IOException refused) {
                    System.out.println("refused");
                }
            }
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final VersionedValue<JsonObject> status = new VersionedValue<>(number(1));

    private static JsonObject number(int number) {
        var json = new JsonObject();
        json.addProperty("number", number);
        return json;
    }

    private Path path() {
        return folder.resolve("agent.sock");
    }

    private static Optional<JsonObject> ask(Path path, String question) throws Exception {
        try (LocalApiClient client = LocalApiClient.connect(path).orElseThrow()) {
            client.ask(question);
            return client.answer();
        }
    }

    @Test
    void furtherRequestsAreAnsweredOnceWithTheNewest() throws Exception {
        var asked = new AtomicLong();
        try (LocalApiServer _ = LocalApiServer.start(
                path(),
                status,
                Map.of("topology", () -> number((int) asked.incrementAndGet()), "more", () -> number(99)),
                () -> 0)) {
            assertEquals(Optional.of(number(1)), ask(path(), "topology"));
            assertEquals(Optional.of(number(2)), LocalApiClient.answer(path(), "topology", Duration.ofSeconds(30)));
            assertEquals(Optional.of(number(99)), ask(path(), "more"));
            assertEquals(
                    "unknown question; ask status or watch or more or topology",
                    ask(path(), "less").orElseThrow().get("error").getAsString());
        }
        assertEquals(Optional.empty(), LocalApiClient.answer(path(), "topology", Duration.ofSeconds(30)));
    }

    @Test
    void statusIsAnsweredOnceAndAWatcherSeesEveryChange() throws Exception {
        LocalApiClient watcher;
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0)) {
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
            watcher = LocalApiClient.connect(path()).orElseThrow();
            watcher.ask("watch");
            for (int change = 1; change <= 3; change++) {
                assertEquals(Optional.of(number(change)), watcher.answer());
                status.publish(number(change + 1));
            }
            assertEquals(Optional.of(number(4)), watcher.answer());
        }
        try (watcher) {
            assertEquals(Optional.empty(), watcher.answer());
            assertTrue(Files.notExists(path()));
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
    void aRequestMayHaveAnArgument() throws Exception {
        try (LocalApiServer _ = LocalApiServer.start(
                path(), status, Map.of(), Map.of("add", text -> number(Integer.parseInt(text) + 1)), () -> 0)) {
            assertEquals(Optional.of(number(8)), ask(path(), "add 7"));
            for (String wrong : List.of("add", "ad 7", "status 7", "")) {
                JsonObject answer = ask(path(), wrong).orElseThrow();
                assertTrue(answer.get("error").getAsString().endsWith("ask status or watch or add"), answer::toString);
            }
        }
    }

    @Test
    void whatIsOldSaysSo() throws Exception {
        var age = new AtomicLong(LocalApiServer.STUCK_AFTER.toNanos() - 1);
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of("more", () -> number(7)), age::get)) {
            assertEquals(Optional.of(number(1)), LocalApiClient.status(path(), Duration.ofMinutes(1)));
            age.set(7_250_000_000L);
            JsonObject old =
                    LocalApiClient.status(path(), Duration.ofMinutes(1)).orElseThrow();
            assertEquals(1, old.get("number").getAsInt());
            assertEquals(7_250, old.get("age_ms").getAsLong());
            assertTrue(old.get("stuck").getAsString().contains("has not finished a turn for 7 s"), old::toString);
            assertTrue(ask(path(), "more").orElseThrow().has("stuck"));
            age.set(0);
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void thoseWhoAskNothingAndThoseWhoWatchLeaveRoomForAQuestion() throws Exception {
        var idle = new ArrayList<SocketChannel>();
        var watchers = new ArrayList<LocalApiClient>();
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0)) {
            for (int i = 0; i < 24; i++) {
                LocalApiClient watcher = LocalApiClient.connect(path()).orElseThrow();
                watcher.ask("watch");
                assertEquals(Optional.of(number(1)), watcher.answer());
                watchers.add(watcher);
            }
            assertTrue(ask(path(), "watch")
                    .orElseThrow()
                    .get("error")
                    .getAsString()
                    .contains("too many programs"));
            for (int i = 0; i < 40; i++) {
                idle.add(SocketChannel.open(UnixDomainSocketAddress.of(path())));
            }
            assertEquals(Optional.of(number(1)), LocalApiClient.status(path(), Duration.ofMinutes(1)));
        } finally {
            for (SocketChannel silent : idle) {
                silent.close();
            }
            watchers.forEach(LocalApiClient::close);
        }
    }

    @Test
    void whereNobodyServesNobodyIsAsked() throws Exception {
        assertEquals(Optional.empty(), LocalApiClient.status(path(), Duration.ofMinutes(1)));
    }

    @Test
    void aSocketThatNobodyAnswersAtIsReplaced() throws Exception {
        try (var crashed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            crashed.bind(UnixDomainSocketAddress.of(path()));
        }
        assertTrue(Files.exists(path()));
        assertEquals(Optional.empty(), LocalApiClient.connect(path()));
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0)) {
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void aSecondAgentIsRefusedAndTheFirstGoesOn() throws Exception {
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0)) {
            var refused =
                    assertThrows(SetupException.class, () -> LocalApiServer.start(path(), status, Map.of(), () -> 0));
            assertTrue(String.valueOf(refused.getMessage()).contains("already runs"), refused::toString);
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void aFileOrALinkInTheSocketsPlaceIsRefusedAndLeftAlone() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "precious");
        Files.createSymbolicLink(path(), target);
        var link = assertThrows(SetupException.class, () -> LocalApiServer.start(path(), status, Map.of(), () -> 0));
        assertTrue(String.valueOf(link.getMessage()).contains("symbolic link"), link::toString);
        assertTrue(Files.isSymbolicLink(path()));
        Files.delete(path());

        Files.createSymbolicLink(path(), folder.resolve("nowhere"));
        assertThrows(SetupException.class, () -> LocalApiServer.start(path(), status, Map.of(), () -> 0));
        assertTrue(Files.notExists(folder.resolve("nowhere")));
        Files.delete(path());

        Files.writeString(path(), "precious");
        var file = assertThrows(SetupException.class, () -> LocalApiServer.start(path(), status, Map.of(), () -> 0));
        assertTrue(String.valueOf(file.getMessage()).contains("is not a socket"), file::toString);
        assertEquals("precious", Files.readString(path()));
        assertEquals("precious", Files.readString(target));
    }

    @Test
    void aHomeWhosePathIsTooLongForASocketIsOneClearLine() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("x".repeat(120)));
        var refused = assertThrows(SetupException.class, () -> home.socket(LocalAgent.SOCKET));
        String said = String.valueOf(refused.getMessage());
        assertTrue(said.contains("HEARTH_HOME"), said);
        assertEquals(1, said.lines().count());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "{}\n",
                "[]\n",
                "{\"ask\":{}}\n",
                "{\"ask\":\"stop\"}\n",
                "not json\n",
                "{\"ask\":null}\n",
                "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
                "GET / HTTP/1.1\r\n\r\n"
            })
    void anythingElseIsAnsweredWithWhatCanBeAsked(String question) throws Exception {
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0);
                var channel = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            channel.write(ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
            var answer = ByteBuffer.allocate(1024);
            while (channel.read(answer) >= 0) {
                assertTrue(answer.hasRemaining());
            }
            String said = new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8);
            assertEquals("{\"error\":\"unknown question; ask status or watch\"}\n", said);
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void garbageAndHalfAQuestionHarmNobody() throws Exception {
        byte[] garbage = new byte[1_000_000];
        new Random(3).nextBytes(garbage);
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0);
                var silent = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
            try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
                channel.write(ByteBuffer.wrap(garbage));
            } catch (IOException hungUp) {
                assertTrue(silent.isOpen()); // the server does not read that much
            }
            try (var half = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
                half.write(ByteBuffer.wrap("{\"ask\":".getBytes(StandardCharsets.UTF_8)));
            }
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void watchersThatAreGoneGiveTheirPlacesBackAlthoughNothingChanges() throws Exception {
        try (LocalApiServer _ = LocalApiServer.start(path(), status, Map.of(), () -> 0)) {
            for (int watchers = 0; watchers < 100; watchers++) {
                while (!ask(path(), "watch").equals(Optional.of(number(1)))) {
                    Thread.onSpinWait(); // full until the server notices the closed connections
                }
            }
            assertEquals(Optional.of(number(1)), ask(path(), "status"));
        }
    }

    @Test
    void anotherUserIsTurnedAway() throws Exception {
        boolean able = "root".equals(System.getProperty("user.name")) && onPath("setpriv");
        if (!able) {
            System.out.println("SKIPPED LocalApiServerTest.anotherUserIsTurnedAway: needs root and setpriv");
        }
        Assumptions.assumeTrue(able);
        Path open = Files.createTempDirectory("hearth-local-api");
        try {
            Path caller = Files.writeString(open.resolve("Caller.java"), CALLER);
            Path socket = open.resolve("agent.sock");
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(caller, PosixFilePermissions.fromString("r--r--r--"));
            try (LocalApiServer _ = LocalApiServer.start(socket, status, Map.of(), () -> 0)) {
                assertEquals("refused\n", asNobody(caller, socket), "the socket is this user's only");
                Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
                String turnedAway = asNobody(caller, socket);
                assertTrue(turnedAway.endsWith("bytes=0\n"), turnedAway);
                assertEquals(Optional.of(number(1)), ask(socket, "status"));
            }
        } finally {
            for (Path file : List.of(open.resolve("Caller.java"), open.resolve("agent.sock"), open)) {
                if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                    Files.delete(file);
                }
            }
        }
    }

    private static String asNobody(Path program, Path socket) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var caller = new ProcessBuilder(
                        new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", java)))
                .directory(Path.of("/").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        caller.command().addAll(List.of("-XX:TieredStopAtLevel=1", program.toString(), socket.toString()));
        return new String(caller.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static boolean onPath(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }
}
