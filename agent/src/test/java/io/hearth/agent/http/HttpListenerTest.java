package io.hearth.agent.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.agent.LocalAgent;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpListenerTest {
    private static final String TOKEN = "t".repeat(32);

    /** The program of another user: connects, sends a request, prints the answer. */
    private static final String CALLER = """
            void main(String[] arguments) throws Exception {
                var address = java.net.UnixDomainSocketAddress.of(arguments[0]);
                try (var channel = java.nio.channels.SocketChannel.open(address)) {
                    var answer = java.nio.ByteBuffer.allocate(1024);
                    try {
                        channel.write(java.nio.ByteBuffer.wrap("GET / HTTP/1.1\\r\\n\\r\\n".getBytes()));
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

    private Path path() {
        return folder.resolve("agent.sock");
    }

    /** Says what was asked; a path of "/feed" is a feed, and one of "/bug" throws. */
    private static ApiAnswer echo(ApiRequest request) {
        return switch (request.path()) {
            case "/feed" -> new ApiAnswer.Feed(JsonObject::new);
            case "/quiet" ->
                new ApiAnswer.Feed(() -> {
                    new CountDownLatch(1).await();
                    return new JsonObject();
                });
            case "/bug" -> throw new IllegalStateException("planted");
            default ->
                ApiAnswer.text(
                        "text/plain",
                        request.method() + " " + request.path() + " " + request.query() + " "
                                + request.body().size() + " " + request.isTrusted());
        };
    }

    private HttpListener unix() throws SetupException {
        return HttpListener.unix(path(), HttpListenerTest::echo);
    }

    private static HttpListener loopback() throws IOException {
        return HttpListener.loopback(0, new PagePasses(TOKEN, Clock.system()), HttpListenerTest::echo);
    }

    private UnixDomainSocketAddress socket() {
        return UnixDomainSocketAddress.of(path());
    }

    private static InetSocketAddress address(HttpListener listener) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), listener.port());
    }

    /** Sends bytes and reads until the other end hangs up; empty if it did so without an answer. */
    private static String exchange(SocketAddress address, String request) throws IOException {
        try (var channel = SocketChannel.open(address)) {
            try {
                channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
                return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException hungUp) {
                return "";
            }
        }
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void requestsAreAnsweredOneAConnection() throws Exception {
        try (HttpListener _ = unix()) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
            String answer = exchange(socket(), get("/a%20b?x=1&y=%22"));
            assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
            assertTrue(
                    answer.endsWith("GET /a b {x=1, y=\"} 0 true") || answer.endsWith("GET /a b {y=\", x=1} 0 true"),
                    answer);
            assertTrue(answer.contains("connection: close"), answer);
            assertTrue(exchange(socket(), "PUT /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
                    .endsWith("PUT /x {} 3 true"));
            String head = exchange(socket(), "HEAD /a HTTP/1.1\r\n\r\n");
            assertTrue(head.contains("content-length: 16") && head.endsWith("\r\n\r\n"), head);
            assertTrue(exchange(socket(), get("/bug")).startsWith("HTTP/1.1 500 "));
            String two = exchange(socket(), get("/one") + get("/two"));
            assertTrue(two.contains("/one") && !two.contains("/two"), two);
        }
        assertTrue(Files.notExists(path()));
    }

    /** What a page of another origin, or a program of another user, gets: a reason, and nothing of the answer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: evil.example:PORT\r\nAuthorization: Bearer TOKEN\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\nAuthorization: Bearer TOKEN\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: https://evil.example\r\nAuthorization: Bearer TOKEN\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\nAuthorization: Bearer TOKEN\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nReferer: http://127.0.0.1:PORT/?pass=TOKEN\r\n\r\n",
                "GET /?pass=TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 0\r\n\r\n"
            })
    void whoMayNotReadLearnsNothingOnLoopback(String request) throws Exception {
        try (HttpListener listener = loopback()) {
            String sent =
                    request.replace("PORT", String.valueOf(listener.port())).replace("TOKEN", TOKEN);
            String answer = exchange(address(listener), sent);
            assertTrue(answer.startsWith("HTTP/1.1 40"), answer);
            assertFalse(answer.contains("GET /"), answer);
            assertTrue(answer.contains("frame-ancestors 'none'") && answer.contains("X-Frame-Options: DENY"), answer);
            assertFalse(answer.toLowerCase(Locale.ROOT).contains("access-control"), answer);
        }
    }

    @Test
    void aBrowserWithAPassGetsACookieThatScriptsCannotRead() throws Exception {
        var passes = new PagePasses(TOKEN, Clock.system());
        try (HttpListener listener = HttpListener.loopback(0, passes, HttpListenerTest::echo)) {
            String host = "Host: 127.0.0.1:" + listener.port() + "\r\n";
            String welcome =
                    exchange(address(listener), "GET /?pass=" + passes.pass() + " HTTP/1.1\r\n" + host + "\r\n");
            assertTrue(welcome.startsWith("HTTP/1.1 303 ") && welcome.contains("location: /\r\n"), welcome);
            assertTrue(welcome.contains("; Path=/; HttpOnly; SameSite=Strict"), welcome);
            String cookie = welcome.replaceAll("(?s).*set-cookie: (hearth=[^;]*);.*", "$1");
            String page = exchange(address(listener), "GET /x HTTP/1.1\r\n" + host + "Cookie: " + cookie + "\r\n\r\n");
            assertTrue(page.endsWith("GET /x {} 0 false"), page);
            assertTrue(page.contains("cache-control: no-store"), page);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n\r\n\r\n",
                "{\"ask\":\"status\"}\n\n",
                "GET\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET /% HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                "PUT / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"
            })
    void whatIsNotHttpIsRefusedAndHarmsNobody(String request) throws Exception {
        try (HttpListener _ = unix()) {
            String answer = exchange(socket(), request);
            assertTrue(answer.isEmpty() || answer.matches("(?s)HTTP/1.1 (400|413|431|505) .*"), answer);
            assertTrue(exchange(socket(), get("/after")).contains("/after"));
        }
    }

    @Test
    void whatIsTooLargeIsRefused() throws Exception {
        byte[] garbage = new byte[1_000_000];
        new Random(3).nextBytes(garbage);
        try (HttpListener _ = unix()) {
            for (String large : List.of(
                    get("/" + "a".repeat(5_000)),
                    "GET / HTTP/1.1\r\nX: " + "a".repeat(9_000) + "\r\n\r\n",
                    "PUT / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n" + "a".repeat(70_000),
                    "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + ("2000\r\n" + "a".repeat(8_192) + "\r\n").repeat(20),
                    new String(garbage, StandardCharsets.ISO_8859_1))) {
                String answer = exchange(socket(), large);
                assertTrue(answer.isEmpty() || answer.matches("(?s)HTTP/1.1 (400|413|414|431) .*"), answer);
            }
            assertTrue(exchange(socket(), get("/after")).contains("/after"));
        }
    }

    @Test
    void aThousandIdleClientsAndThoseWhoReadNothingLeaveRoom() throws Exception {
        var idle = new ArrayList<SocketChannel>();
        try (HttpListener listener = loopback()) {
            String asked = get("/after")
                    .replace("localhost", "127.0.0.1:" + listener.port() + "\r\nAuthorization: Bearer " + TOKEN);
            String feed = asked.replace("/after", "/feed");
            for (int i = 0; i < 30; i++) { // these take their feed's place and never read
                var deaf = SocketChannel.open(address(listener));
                deaf.write(ByteBuffer.wrap(feed.getBytes(StandardCharsets.UTF_8)));
                idle.add(deaf);
            }
            for (int i = 0; i < 1_000; i++) {
                idle.add(SocketChannel.open(address(listener)));
            }
            String answer = "";
            while (!answer.contains("/after")) { // until the idle ones are hung up on
                answer = exchange(address(listener), asked);
            }
            assertTrue(answer.contains("GET /after"), answer);
        } finally {
            for (SocketChannel silent : idle) {
                silent.close();
            }
        }
    }

    @Test
    void aFeedEndsWhenItsReaderHangsUpAlthoughNothingHappens() throws Exception {
        var ended = new Semaphore(0);
        try (HttpListener _ = HttpListener.unix(
                path(),
                _ -> new ApiAnswer.Feed(() -> {
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        ended.release();
                    }
                    return new JsonObject();
                }))) {
            for (int i = 0; i < 100; i++) {
                try (var reader = SocketChannel.open(socket())) {
                    reader.write(ByteBuffer.wrap(get("/feed").getBytes(StandardCharsets.UTF_8)));
                    assertEquals('H', Channels.newInputStream(reader).read(), "the head comes at once");
                }
                ended.acquire();
            }
        }
    }

    @Test
    void aSocketThatNobodyAnswersAtIsReplaced() throws Exception {
        try (var crashed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            crashed.bind(socket());
        }
        assertTrue(Files.exists(path()));
        try (HttpListener _ = unix()) {
            assertTrue(exchange(socket(), get("/x")).contains("/x"));
        }
    }

    @Test
    void aSecondAgentIsRefusedAndTheFirstGoesOn() throws Exception {
        try (HttpListener _ = unix()) {
            var refused = assertThrows(SetupException.class, this::unix);
            assertTrue(String.valueOf(refused.getMessage()).contains("already runs"), refused::toString);
            assertTrue(exchange(socket(), get("/x")).contains("/x"));
        }
    }

    @Test
    void aFileOrALinkInTheSocketsPlaceIsRefusedAndLeftAlone() throws Exception {
        Path target = Files.writeString(folder.resolve("target"), "precious");
        Files.createSymbolicLink(path(), target);
        var link = assertThrows(SetupException.class, this::unix);
        assertTrue(String.valueOf(link.getMessage()).contains("symbolic link"), link::toString);
        assertTrue(Files.isSymbolicLink(path()));
        Files.delete(path());

        Files.createSymbolicLink(path(), folder.resolve("nowhere"));
        assertThrows(SetupException.class, this::unix);
        assertTrue(Files.notExists(folder.resolve("nowhere")));
        Files.delete(path());

        Files.writeString(path(), "precious");
        var file = assertThrows(SetupException.class, this::unix);
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

    @Test
    void anotherUserIsTurnedAway() throws Exception {
        boolean able = "root".equals(System.getProperty("user.name")) && onPath("setpriv");
        if (!able) {
            System.out.println("SKIPPED HttpListenerTest.anotherUserIsTurnedAway: needs root and setpriv");
        }
        Assumptions.assumeTrue(able);
        Path open = Files.createTempDirectory("hearth-local-api");
        try {
            Path caller = Files.writeString(open.resolve("Caller.java"), CALLER);
            Path socket = open.resolve("agent.sock");
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(caller, PosixFilePermissions.fromString("r--r--r--"));
            try (HttpListener _ = HttpListener.unix(socket, HttpListenerTest::echo)) {
                assertEquals("refused\n", asNobody(caller, socket), "the socket is this user's only");
                Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
                String turnedAway = asNobody(caller, socket);
                assertTrue(turnedAway.matches("(?s).*bytes=(0|-1)\n"), turnedAway);
                assertTrue(
                        exchange(UnixDomainSocketAddress.of(socket), get("/x")).contains("/x"));
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
