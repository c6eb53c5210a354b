package io.hearth.serve.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of a real port, and the bounds of its connections. */
@Timeout(60)
final class ServicePortTest {
    private static String answer(ServicePort port, String host) throws Exception {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return all.lines().findFirst().orElse("");
        }
    }

    @Test
    void aBrowserThatAnotherSiteLedHereIsRefused() throws Exception {
        try (ServicePort port = ServicePort.open(
                PortPlace.loopback(0),
                List.of(),
                ServicePort.MESSAGE_BYTES_DEFAULT,
                (_, _) -> new ServicePort.Page(200, "text/plain", "here\n").now())) {
            assertEquals("HTTP/1.1 200 OK", answer(port, "localhost:" + port.port()));
            assertEquals("HTTP/1.1 403 Forbidden", answer(port, "evil.example:" + port.port()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "PR", "GET / HTTP/1.1\r\nHost: loc"}) // silent, or stopped in the middle
    void aConnectionThatSaysNoMoreEnds(String begun) throws Exception {
        try (ServicePort port = ServicePort.open(
                        PortPlace.loopback(0),
                        List.of(),
                        ServicePort.MESSAGE_BYTES_DEFAULT,
                        (_, _) -> new ServicePort.Page(200, "text/plain", "here\n").now(),
                        new ServicePort.Bounds(new OpenCalls(), 9, Duration.ofMillis(200)));
                var socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    private static Optional<Runnable> enter(Connections connections, String from) {
        return connections.enter(
                new InetSocketAddress(InetAddress.ofLiteral(from), 1),
                new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 2));
    }

    /** Addresses of one IPv6 /64 may all be of one machine. */
    @Test
    void oneMachineLeavesRoomForOthers() {
        var connections = new Connections(3 * Connections.OF_MACHINE_MAX);
        for (String[] machine : List.of(new String[] {"10.0.0.7"}, new String[] {"2001:db8::1", "2001:db8::2"})) {
            var places = new ArrayList<Runnable>();
            for (int i = 0; i < Connections.OF_MACHINE_MAX; i++) {
                places.add(enter(connections, machine[i % machine.length]).orElseThrow());
            }
            assertEquals(Optional.empty(), enter(connections, machine[0]), "its bound");
            places.removeLast().run();
            places.add(enter(connections, machine[0]).orElseThrow());
        }
        for (int i = 0; i < Connections.OF_MACHINE_MAX; i++) {
            assertTrue(enter(connections, "127.0.0.1").isPresent());
        }
        assertEquals(Optional.empty(), enter(connections, "127.0.0.1"), "the bound of all");
        assertEquals(Optional.empty(), enter(connections, "10.0.0.8"), "the bound of all");
    }
}
