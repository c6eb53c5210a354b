package io.hearth.transport.relay;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes on loopback: two never dial each other, and reach each other through the third. */
final class RelayTest {
    private static final StreamId STREAM = new StreamId("job", "1", 0);
    private static final int KIND = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NamespaceKeys keys = NetworkNamespace.create("relay").keys();
    private TestNode asker;
    private TestNode relay;
    private TestNode target;

    @BeforeEach
    void start() throws Exception {
        asker = node();
        relay = node();
        target = node();
    }

    @AfterEach
    void stop() {
        asker.close();
        target.close();
        relay.close();
    }

    private TestNode node() throws Exception {
        return new TestNode(
                NodeIdentity.generate(),
                "trainer-0",
                1,
                keys,
                options -> options.transport(DataTransport.AUTO),
                AeadCipher::new);
    }

    private void linkBoth() throws Exception {
        asker.link(relay);
        target.link(relay); // the relay reaches it at the port that it claims
    }

    private void linkThrough() throws Exception {
        linkBoth();
        asker.links.dialThrough(relay.id(), target.id(), false);
        var here = asker.await(Seen.Admitted.class).link();
        var there = target.await(Seen.Admitted.class).link();
        assertEquals(target.id(), here.peer().id());
        assertEquals(asker.id(), there.peer().id());
        assertTrue(here.relayed() && there.relayed());
    }

    /** The two ends of one stream. */
    private record Ends(DataStream ours, DataStream theirs) implements AutoCloseable {
        @Override
        public void close() {
            ours.close();
            theirs.close();
        }
    }

    private Ends open() throws Exception {
        var theirs = CompletableFuture.supplyAsync(() -> {
            try {
                return target.links.streams().open(asker.id(), STREAM, PATIENCE);
            } catch (IOException | InterruptedException failed) {
                throw new IllegalStateException(failed);
            }
        });
        DataStream ours = asker.links.streams().open(target.id(), STREAM, PATIENCE);
        return new Ends(ours, theirs.get());
    }

    private static void send(DataStream stream, byte[] bytes) throws IOException {
        stream.send(KIND, 0, 1, 0, MemorySegment.NULL, MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    private static byte[] receive(DataStream stream) throws IOException {
        return stream.receive().toBytes();
    }

    @Test
    void messagesAndStreamsGoThroughAMember() throws Exception {
        linkThrough();
        assertTrue(target.links.send(asker.id(), 40, new byte[] {7}));
        assertEquals(target.id(), asker.await(Seen.Received.class).from());
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        try (Ends ends = open()) {
            for (int i = 0; i < 20; i++) {
                send(ends.ours(), bytes);
                assertArrayEquals(bytes, receive(ends.theirs()));
                send(ends.theirs(), bytes);
                assertArrayEquals(bytes, receive(ends.ours()));
            }
        }
        assertEquals(Set.of(DataTransport.TCP), transports(open()), "all on one machine, but never shared memory");
    }

    private Set<DataTransport> transports(Ends ends) {
        try (ends) {
            return asker.links.transports().getOrDefault(target.id(), Set.of());
        }
    }

    @Test
    void aDirectLinkReplacesTheRelayedOneAndItsStreamsEnd() throws Exception {
        linkThrough();
        Ends ends = open();
        target.dial(asker);
        assertEquals(target.id(), asker.await(Seen.Lost.class).peer());
        assertFalse(asker.await(Seen.Admitted.class).link().relayed());
        assertEquals(asker.id(), target.await(Seen.Lost.class).peer());
        assertFalse(target.await(Seen.Admitted.class).link().relayed());
        assertThrows(IOException.class, () -> ends.ours().receive());
        assertThrows(IOException.class, () -> ends.theirs().receive());
        try (Ends direct = open()) {
            send(direct.ours(), new byte[] {1, 2, 3});
            assertArrayEquals(new byte[] {1, 2, 3}, receive(direct.theirs()));
        }
        asker.links.dialThrough(relay.id(), target.id(), false);
        assertTrue(target.await(Seen.Refused.class).text().contains("another link"), "a relayed one is not taken back");
    }

    @Test
    void theEndOfTheRelayEndsLinkAndStreams() throws Exception {
        linkThrough();
        Ends ends = open();
        relay.close();
        for (TestNode end : new TestNode[] {asker, target}) {
            TestNode other = end == asker ? target : asker;
            end.await(
                    "loss of the relayed link",
                    seen -> seen instanceof Seen.Lost lost && lost.peer().equals(other.id()));
        }
        assertThrows(IOException.class, () -> ends.ours().receive());
        assertThrows(IOException.class, () -> ends.theirs().receive());
        TestNode.until(
                "no thread of the relay is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("hearth-relay")));
    }

    @Test
    void aRemovedMemberLosesWhatIsPassedOnForIt() throws Exception {
        linkThrough();
        relay.links.close(target.id(), "removed");
        asker.await(
                "loss of the relayed link",
                seen -> seen instanceof Seen.Lost lost && lost.peer().equals(target.id()));
    }

    @Test
    void aNodeThatTheRelayCannotReachIsRejectedWithTheReason() throws Exception {
        asker.link(relay);
        asker.links.dialThrough(relay.id(), target.id(), false);
        assertTrue(asker.await(Seen.RelayFailed.class).why().contains("no direct link to it"));
        asker.links.dialThrough(target.id(), relay.id(), false);
        assertTrue(asker.await(Seen.RelayFailed.class).why().contains("no direct link to the relay"));
    }

    @Test
    void aRelayedLinkIsNoRelayItself() throws Exception {
        linkThrough();
        TestNode fourth = node();
        try (fourth) {
            fourth.link(asker);
            fourth.links.dialThrough(asker.id(), target.id(), false);
            assertTrue(fourth.await(Seen.RelayFailed.class).why().contains("no direct link to it"));
        }
    }
}
