package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.peers.Sources;
import io.hearth.discovery.names.ResolverFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes without mDNS find one another by the answers of a DNS server on loopback. */
final class NamedPeersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @AfterEach
    void thisComputerIsItselfAgain() {
        System.clearProperty(Sources.DEAF);
        System.clearProperty(ResolverFiles.SERVERS);
    }

    @Test
    void nodesMeetByTheAddressesOfANameAndByTheRecordsOfAService() throws Exception {
        try (var dns = new Server();
                var nodes = new TestNodes(folder)) {
            deafWith(dns);
            AutoDiscoveryBackend first = nodes.trainer(TestNodes.loopback());
            int port = first.node().port();
            dns.ports.put("all.hearth.test", port);
            AutoDiscoveryBackend second =
                    nodes.trainer(TestNodes.loopback().peers(List.of("dns:all.hearth.test:" + port)));
            assertEquals(1, second.waitForPeers(1, PATIENCE), second.status()::explain);

            dns.ports.put("_hearth._tcp.hearth.test", second.node().port());
            Path home = nodes.home();
            Files.writeString(home.resolve("config.toml"), "peers = ['srv:_hearth._tcp.hearth.test']");
            AutoDiscoveryBackend third =
                    nodes.keep(AutoDiscoveryBackend.start(TestNodes.loopback().home(home)));
            assertEquals(2, third.waitForPeers(2, PATIENCE), third.status()::explain);
        }
    }

    @Test
    void podsMeetThroughTheirHeadlessServiceWhichListsTheirOwnAddressToo() throws Exception {
        try (var dns = new Server();
                var nodes = new TestNodes(folder)) {
            deafWith(dns);
            HearthConfig config = TestNodes.loopback().peers(List.of("k8s:trainers.ml"));
            AutoDiscoveryBackend first = nodes.trainer(config);
            dns.ports.put(
                    "_hearth._tcp.trainers.ml.svc.cluster.local", first.node().port());
            dns.resolved.await(); // the first pod learns its own address and dials itself
            AutoDiscoveryBackend second = nodes.trainer(config);
            assertEquals(1, second.waitForPeers(1, PATIENCE), second.status()::explain);
            assertEquals(1, first.waitForPeers(1, PATIENCE), first.status()::explain);
            assertTrue(first.status().refused().isEmpty(), () -> "its own address is a peer: " + first.status());
        }
    }

    private void deafWith(Server dns) throws IOException {
        Path servers = Files.writeString(folder.resolve("resolv.conf"), "nameserver [127.0.0.1]:" + dns.port());
        System.setProperty(ResolverFiles.SERVERS, servers.toString());
        System.setProperty(Sources.DEAF, "true");
    }

    /** Answers that each name it knows is on loopback, also as the target of an SRV record. */
    private static final class Server implements AutoCloseable {
        private static final String TARGET = "target";

        final ConcurrentMap<String, Integer> ports = new ConcurrentHashMap<>(); // the test writes, the server reads
        final CountDownLatch resolved = new CountDownLatch(1); // opened when a target of an SRV record was resolved
        private final DatagramSocket socket;
        private final Thread thread;

        Server() throws IOException {
            socket = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"));
            thread = Thread.ofPlatform().daemon().name("test-dns").start(this::run);
        }

        int port() {
            return socket.getLocalPort();
        }

        private void run() {
            var packet = new DatagramPacket(new byte[1_024], 1_024);
            try {
                while (true) {
                    socket.receive(packet);
                    byte[] answer = answer(packet.getData());
                    socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                    packet.setLength(1_024);
                }
            } catch (IOException closed) {
                return;
            }
        }

        private byte[] answer(byte[] query) {
            var name = new StringBuilder();
            int at = 12;
            for (; query[at] != 0; at += 1 + query[at]) {
                name.append(at == 12 ? "" : ".")
                        .append(new String(query, at + 1, query[at], StandardCharsets.ISO_8859_1));
            }
            int type = query[at + 2];
            Integer port = ports.get(name.toString());
            boolean isService = type == 33 && name.toString().startsWith("_") && port != null;
            boolean isAddress = type == 1 && !name.toString().startsWith("_") && port != null;
            var bytes = new ByteArrayOutputStream();
            bytes.write(query, 0, 2);
            bytes.write(0x81);
            bytes.write(port == null ? 0x83 : 0x80);
            bytes.writeBytes(new byte[] {0, 1, 0, (byte) (isService || isAddress ? 1 : 0), 0, 0, 0, 0});
            bytes.write(query, 12, at + 5 - 12);
            if (isAddress) {
                if (name.toString().equals(TARGET)) {
                    resolved.countDown();
                }
                bytes.writeBytes(new byte[] {(byte) 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 127, 0, 0, 1});
            } else if (isService && port != null) {
                ports.put(TARGET, port);
                bytes.writeBytes(new byte[] {(byte) 0xC0, 12, 0, 33, 0, 1, 0, 0, 0, 5, 0, 14, 0, 0, 0, 0});
                bytes.write(port >>> 8);
                bytes.write(port);
                bytes.write(TARGET.length());
                bytes.writeBytes(TARGET.getBytes(StandardCharsets.US_ASCII));
                bytes.write(0);
            }
            return bytes.toByteArray();
        }

        @Override
        public void close() {
            socket.close();
            try {
                thread.join();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
