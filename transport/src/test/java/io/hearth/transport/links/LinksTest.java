package io.hearth.transport.links;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Frame;
import io.hearth.transport.LinkCounters;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.TestNode;
import io.hearth.transport.TestNode.Seen;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

public final class LinksTest {
    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();

    @Test
    void twoMembersAdmitEachOtherAndTalkBothWays() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.dial(b);
            LinkInfo atA = a.await(Seen.Admitted.class).link();
            LinkInfo atB = b.await(Seen.Admitted.class).link();
            assertEquals(b.self, atA.peer());
            assertEquals(a.self, atB.peer());
            assertTrue(atA.dialedByUs());
            assertFalse(atB.dialedByUs());

            assertTrue(a.links.send(b.id(), 16, new byte[] {1, 2, 3}));
            assertTrue(b.links.send(a.id(), 0xFFFF, new byte[Frame.BYTES_MAX]));
            assertEquals(new Seen.Received(a.id(), 16, Bytes.of(new byte[] {1, 2, 3})), b.await(Seen.Received.class));
            assertEquals(
                    new Seen.Received(b.id(), 0xFFFF, Bytes.of(new byte[Frame.BYTES_MAX])),
                    a.await(Seen.Received.class));

            LinkInfo now = a.links.links().getFirst();
            assertTrue(now.bytesIn() > Frame.BYTES_MAX && now.bytesOut() > 100, now.toString());
            LinkCounters counted = a.links.counters();
            assertEquals(1, counted.messagesIn());
            assertEquals(1, counted.messagesOut());
            assertTrue(counted.bytesIn() >= now.bytesIn() && counted.bytesOut() >= now.bytesOut(), counted.toString());
        }
    }

    @Test
    void aMemberMaySpeakRightBehindItsWordOfAdmission() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.dial(b);
            b.await(Seen.Admitted.class);
            for (int i = 0; i < 8; i++) { // far more than a stranger may send
                assertTrue(b.links.send(a.id(), 16 + i, new byte[Frame.BYTES_MAX]));
            }
            for (int i = 0; i < 8; i++) {
                assertEquals(16 + i, a.await(Seen.Received.class).kind());
            }
        }
    }

    @Test
    void messagesKeepTheirOrder() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.link(b);
            for (int i = 0; i < 10_000; i++) {
                assertTrue(a.links.send(b.id(), 16 + i, new byte[i % 50]));
            }
            for (int i = 0; i < 10_000; i++) {
                Seen.Received received = b.await(Seen.Received.class);
                assertEquals(16 + i, received.kind());
                assertEquals(i % 50, received.message().size());
            }
        }
    }

    @Test
    void aCloseIsToldWithItsReason() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.link(b);
            a.links.close(b.id(), "going to bed");
            assertEquals(new Seen.Lost(b.id(), "going to bed"), a.await(Seen.Lost.class));
            assertEquals(new Seen.Lost(a.id(), "the peer closed the link: going to bed"), b.await(Seen.Lost.class));
            assertEquals(List.of(), a.links.links());
            assertFalse(a.links.send(b.id(), 16, new byte[0]));
            assertEquals(1, a.links.counters().droppedSends());
        }
    }

    @Test
    void closingANodeEndsItsLinksAndItsThreads() throws Exception {
        var a = new TestNode(keys);
        var b = new TestNode(keys);
        a.link(b);
        List<Thread> before = threads();
        assertTrue(before.size() >= 4, before.toString());
        a.close();
        assertEquals(new Seen.Lost(a.id(), "the peer closed the link: the node is closing"), b.await(Seen.Lost.class));
        b.close();
        a.close();
        for (Thread thread : threads()) {
            thread.join(5_000);
            assertFalse(thread.isAlive(), thread.getName());
        }
    }

    @Test
    void aPortThatIsTakenIsAnErrorWithARemedyAndThePortBehindItIsFound() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            var identity = NodeIdentity.generate();
            var self = new Endpoint(new NodeId(identity.peer(), "agent"), 1, TestNode.bootId());
            var refused = assertThrows(
                    SetupException.class,
                    () -> Links.open(LinkOptions.loopback(port), identity, self, keys, new Deaf()));
            assertTrue(String.valueOf(refused.getMessage()).contains("port " + port), refused.getMessage());
            try (var links = Links.open(LinkOptions.loopback(port).portsTried(100), identity, self, keys, new Deaf())) {
                assertTrue(links.port() > port);
            }
        }
    }

    @Test
    void nobodyThereIsAFailedDial() throws Exception {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (var a = new TestNode(keys)) {
            a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            assertEquals(DialFailure.REFUSED, a.await(Seen.DialFailed.class).failure());
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("hearth-"))
                .toList();
    }

    /** An observer that ignores all events. */
    private static final class Deaf implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {}

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {}

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}
    }
}
