package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.ring.DistributedConfig;
import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.links.Links;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ends that both use plain text exchange data. An end with plain text and an end with encryption exchange none. */
final class CopyCipherTest {
    private static final StreamId ID = new StreamId("bench", "1", 0);

    private final NamespaceKeys keys = NetworkNamespace.create("bench").keys();

    /** One end of a link. It collects the peers that are linked. */
    private final class End implements LinkObserver, AutoCloseable {
        private final BlockingQueue<NodeId> linked = new ArrayBlockingQueue<>(4);
        private final Links links;

        End(boolean copies) throws Exception {
            NodeIdentity identity = NodeIdentity.generate();
            var self = new Endpoint(
                    new NodeId(identity.peer(), "trainer-1"), 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
            LinkOptions options = LinkOptions.loopback(0).transport(DataTransport.TCP);
            links = copies
                    ? Links.openForMeasuring(options, identity, self, keys, this, BenchCipher.COPYING)
                    : Links.open(options, identity, self, keys, this);
        }

        NodeId peer() throws InterruptedException {
            NodeId peer = linked.poll(20, TimeUnit.SECONDS);
            assertTrue(peer != null, "nobody linked");
            return peer;
        }

        @Override
        public void admitted(LinkInfo link) {
            linked.add(link.peer().id());
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {}

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {}

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {}

        @Override
        public void close() {
            links.close();
        }
    }

    private interface Use {
        void run(DataStream dialed, Future<DataStream> accepted) throws Exception;
    }

    private void open(End dialler, End acceptor, Duration patience, Use use) throws Exception {
        try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            dialler.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), acceptor.links.port()));
            NodeId from = acceptor.peer();
            Future<DataStream> accepted =
                    threads.submit(() -> acceptor.links.streams().open(from, ID, patience));
            use.run(dialler.links.streams().open(dialler.peer(), ID, patience), accepted);
        }
    }

    @Test
    void twoEndsThatCopyUnderstandEachOther() throws Exception {
        byte[] sent = "in the clear".getBytes(StandardCharsets.US_ASCII);
        try (var one = new End(true);
                var two = new End(true)) {
            open(one, two, Duration.ofSeconds(20), (dialed, accepted) -> {
                dialed.send(
                        RecordHeader.USER_MIN,
                        0,
                        1,
                        0,
                        MemorySegment.NULL,
                        MemorySegment.ofArray(sent),
                        0,
                        sent.length);
                assertArrayEquals(sent, accepted.get().receive().toBytes());
            });
        }
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEndThatCiphersRefusesTheFirstRecordOfOneThatCopiesAndTheOtherWayRound(boolean diallerCopies)
            throws Exception {
        try (var one = new End(diallerCopies);
                var two = new End(!diallerCopies)) {
            var refused =
                    assertThrows(StreamException.class, () -> open(one, two, Duration.ofSeconds(3), (_, _) -> {}));
            // the reason varies: the end that rejects first closes the connection of the other end, at any step of the
            // attempt
            assertEquals(StreamException.Cause.NOT_OPENED, refused.kind());
        }
    }

    @Test
    void theRecordIsThePlainTextAndAMark() throws Exception {
        byte[] record = new byte[RecordHeader.BYTES + 5 + CopyCipher.TAG_BYTES];
        Arrays.fill(record, RecordHeader.BYTES, RecordHeader.BYTES + 5, (byte) 7);
        var cipher = new CopyCipher();
        assertEquals(record.length, cipher.seal(record, 5));
        assertEquals(
                "hearth plaintext",
                new String(record, RecordHeader.BYTES + 5, CopyCipher.TAG_BYTES, StandardCharsets.US_ASCII));
        byte[] opened = new byte[5];
        cipher.open(record, 5, opened);
        assertArrayEquals(new byte[] {7, 7, 7, 7, 7}, opened);
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.168.1.20", "10.77.1.1", "::ffff:8.8.8.8", "2001:db8::1", "0.0.0.0"})
    void plainTextGoesNowhereElse(String elsewhere) throws Exception {
        assertThrows(IllegalArgumentException.class, () -> BenchCipher.COPY.open(config(elsewhere), keys));
        BenchCipher.AEAD.check(config(elsewhere));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "10.77.0.3"})
    void loopbackAndTheLabMayHavePlainText(String here) throws Exception {
        BenchCipher.COPY.check(config(here));
    }

    @Test
    void sharedMemoryHasNoCipherToLeaveOut() throws Exception {
        DistributedConfig config = config("127.0.0.1").transport(DataTransport.AUTO);
        assertThrows(IllegalArgumentException.class, () -> BenchCipher.COPY.check(config));
    }

    private static DistributedConfig config(String other) throws Exception {
        return new DistributedConfig(
                        List.of(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                                new InetSocketAddress(InetAddress.getByName(other), 2)),
                        0)
                .transport(DataTransport.TCP);
    }
}
