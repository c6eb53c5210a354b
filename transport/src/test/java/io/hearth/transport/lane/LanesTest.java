package io.hearth.transport.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LocalPath;
import io.hearth.transport.LocalPath.Network;
import io.hearth.transport.Paths;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.Records;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.record.RecordStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Streams of linked nodes whose interfaces are addresses of the loopback network. */
final class LanesTest {
    private static final StreamId ID = new StreamId("digits", "lineage 7 epoch 3", 5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Paths ONE = () -> List.of(path("a", "127.0.0.1"));

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** macOS has one loopback address only. */
    @BeforeAll
    static void needsTwoAddresses() {
        try (var free = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.1.2"))) {
            assertTrue(free.isBound());
        } catch (IOException none) {
            Assumptions.abort("this system has no address 127.0.1.2: " + none.getMessage());
        }
    }

    @AfterEach
    void stopThreads() throws InterruptedException {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }

    private static LocalPath path(String name, String address) {
        return new LocalPath(
                name,
                List.of(new Network(Bytes.of(InetAddress.ofLiteral(address).getAddress()), 24)));
    }

    private static Paths two(String second) {
        return () -> List.of(path("a", "127.0.0.1"), path("b", second));
    }

    private TestNode node(Paths paths) throws SetupException {
        return new TestNode(
                NodeIdentity.generate(),
                "agent",
                1,
                keys,
                _ -> LinkOptions.anyAddress(0).transport(DataTransport.TCP).paths(paths),
                AeadCipher::new);
    }

    private DataStream[] open(TestNode a, TestNode b) throws Exception {
        a.links.dial(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), b.links.port()));
        a.await(Seen.Admitted.class);
        b.await(Seen.Admitted.class);
        Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), ID, PATIENCE));
        return new DataStream[] {a.links.streams().open(b.id(), ID, PATIENCE), accepted.get()};
    }

    private static void exchange(DataStream from, DataStream to) throws IOException {
        for (int i = 0; i < 20; i++) {
            Records.send(from, new RecordHeader(1_000 * i, RecordHeader.USER_MIN, 7, i, 1L << 40));
            assertEquals(i, to.receive().collective());
        }
    }

    @Test
    void twoPathsAreTwoLanesAtBothEndsAndALostOneComesBack() throws Exception {
        try (var a = node(two("127.0.1.1"));
                var b = node(two("127.0.1.2"))) {
            DataStream[] ends = open(a, b);
            var dialed = assertInstanceOf(LaneStream.class, ends[0]);
            var accepted = assertInstanceOf(LaneStream.class, ends[1]);
            TestNode.until("both lanes", () -> dialed.hasLane(1) && accepted.hasLane(1));
            exchange(dialed, accepted);
            exchange(accepted, dialed);
            for (int lane = 0; lane < 2; lane++) {
                dialed.breakLane(lane);
                exchange(dialed, accepted);
                int back = lane;
                TestNode.until("lane " + lane + " again", () -> dialed.hasLane(back) && accepted.hasLane(back));
                exchange(accepted, dialed);
            }
            assertEquals(ID, accepted.id());
            dialed.close();
            assertThrows(IOException.class, accepted::receive);
        }
    }

    @Test
    void aStreamOfSeveralLanesOutlivesItsLinkUntilItIsMadeAgain() throws Exception {
        try (var a = node(two("127.0.1.1"));
                var b = node(two("127.0.1.2"))) {
            DataStream[] ends = open(a, b);
            var dialed = (LaneStream) ends[0];
            var accepted = (LaneStream) ends[1];
            TestNode.until("both lanes", () -> dialed.hasLane(1) && accepted.hasLane(1));
            a.links.close(b.id(), "its path was cut");
            a.await(Seen.Lost.class);
            b.await(Seen.Lost.class);
            exchange(dialed, accepted);
            b.links.dial(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), a.links.port()));
            a.await(Seen.Admitted.class);
            b.await(Seen.Admitted.class);
            dialed.breakLane(1);
            exchange(accepted, dialed);
            TestNode.until("lane 1 over the new link", () -> dialed.hasLane(1) && accepted.hasLane(1));
            a.links.close(b.id(), "and for good");
            TestNode.until("the end of both", () -> !dialed.isOpen() && !accepted.isOpen());
        }
    }

    @Test
    void onePathIsAPlainStream() throws Exception {
        record Case(Paths dialler, Paths acceptor) {}
        for (Case one : new Case[] {
            new Case(ONE, two("127.0.1.2")),
            new Case(two("127.0.1.1"), ONE),
            new Case(two("127.0.1.1"), two("127.0.2.2")),
            new Case(Paths.NONE, Paths.NONE)
        }) {
            try (var a = node(one.dialler());
                    var b = node(one.acceptor())) {
                DataStream[] ends = open(a, b);
                assertInstanceOf(RecordStream.class, ends[0]);
                assertInstanceOf(RecordStream.class, ends[1]);
                exchange(ends[0], ends[1]);
            }
        }
    }

    @Test
    void aStreamEndsWithItsLinkAndWithItsNode() throws Exception {
        var a = node(two("127.0.1.1"));
        try (var b = node(two("127.0.1.2"))) {
            DataStream[] ends = open(a, b);
            Future<?> receiver = threads.submit(() -> ends[1].receive());
            a.close();
            assertThrows(Exception.class, receiver::get);
            assertThrows(IOException.class, () -> exchange(ends[0], ends[1]));
        }
        TestNode.until(
                "no thread of a lane is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("hearth-lane")));
    }

    @Test
    void namesOfLanesAreNoNamesOfStreams() throws Exception {
        try (var a = node(ONE)) {
            assertThrows(
                    IllegalArgumentException.class, () -> a.links.streams().open(a.id(), Lanes.name(ID, 0), PATIENCE));
        }
    }
}
