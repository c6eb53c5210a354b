package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.core.ReduceOp;
import io.hearth.discovery.HostPort;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs other than Hearth on both sides of a node's connections; two good nodes still meet and sum. */
final class ForeignServicesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Tag("full")
    @Test
    void whateverListensAtAPeersAddressOrDialsANodeDoesNotDisturbTheOthers() throws Exception {
        byte[] garbage = new byte[100_000];
        new Random(7).nextBytes(garbage);
        var web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.start();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var noise = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var silence = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                var nodes = new TestNodes(folder)) {
            var silent = new ConcurrentLinkedQueue<Socket>();
            var dialled = new CountDownLatch(2); // a node reached the noise, and the silence
            threads.execute(() -> serve(noise, caller -> {
                dialled.countDown();
                send(caller, garbage);
            }));
            threads.execute(() -> serve(silence, caller -> {
                silent.add(caller); // and never a byte
                dialled.countDown();
            }));
            List<AutoDiscoveryBackend> two = nodes.trainers(2);
            for (AutoDiscoveryBackend node : two) {
                for (int port : List.of(
                        noise.getLocalPort(),
                        silence.getLocalPort(),
                        web.getAddress().getPort())) {
                    node.addPeer(HostPort.parse("127.0.0.1:" + port));
                }
            }
            dialled.await();
            try (var half = new Socket(
                            InetAddress.getLoopbackAddress(), two.get(0).node().port());
                    var request = new Socket(
                            InetAddress.getLoopbackAddress(), two.get(0).node().port());
                    var bytes = new Socket(
                            InetAddress.getLoopbackAddress(), two.get(1).node().port())) {
                half.getOutputStream()
                        .write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc}); // a TLS hello's beginning
                send(request, "GET / HTTP/1.1\r\nHost: hearth\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                send(bytes, garbage);

                assertEquals(1, two.get(0).waitForPeers(1, PATIENCE));
                assertEquals(1, two.get(1).waitForPeers(1, PATIENCE));
                var sums = new ArrayList<Future<Float>>();
                for (AutoDiscoveryBackend node : two) {
                    sums.add(threads.submit(() -> {
                        float[] one = {1};
                        node.context().allReduce(one, ReduceOp.SUM);
                        return one[0];
                    }));
                }
                assertEquals(2, sums.get(0).get());
                assertEquals(2, sums.get(1).get());
            }
            for (AutoDiscoveryBackend node : two) {
                assertEquals(2, node.status().view().members());
                assertEquals(
                        1,
                        node.status().nodes().stream()
                                .filter(other -> !other.isSelf())
                                .count());
                assertTrue(node.node().failure().isEmpty());
                for (ClusterStatus.Refused other : node.status().refused()) {
                    assertTrue(other.why().length() < 256, other::why);
                }
            }
            for (Socket socket : silent) {
                socket.close();
            }
        } finally {
            web.stop(0);
        }
    }

    /** Accepts connections until the server is closed. */
    private static void serve(ServerSocket server, Consumer<Socket> reception) {
        try {
            while (true) {
                reception.accept(server.accept());
            }
        } catch (IOException closed) {
            assertTrue(server.isClosed());
        }
    }

    private static void send(Socket socket, byte[] bytes) {
        try (OutputStream out = socket.getOutputStream()) {
            out.write(bytes);
        } catch (IOException refused) {
            assertTrue(socket.isConnected()); // a node may hang up at any byte
        }
    }
}
