package io.hearth.transport.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.Records;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(names = {"SHM", "TCP"})
final class StreamsTest {
    @Parameter
    DataTransport transport = DataTransport.AUTO;

    private static final StreamId ID = new StreamId("digits", "lineage 7 epoch 3", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() throws InterruptedException {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }

    private TestNode node() throws SetupException {
        return new TestNode(NodeIdentity.generate(), "agent", 1, keys, o -> o.transport(transport), AeadCipher::new);
    }

    /** The two ends of one stream. */
    private record Pair(DataStream dialed, DataStream accepted) {}

    private Pair open(TestNode a, TestNode b, StreamId id) throws Exception {
        Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), id, PATIENCE));
        DataStream dialed = a.links.streams().open(b.id(), id, PATIENCE);
        return new Pair(dialed, accepted.get());
    }

    private static RecordHeader header(int length, long collective) {
        return new RecordHeader(length, RecordHeader.USER_MIN, 7, collective, 1L << 40);
    }

    @Test
    void recordsOfEverySizeArriveWholeInBothDirections() throws Exception {
        try (var a = node();
                var b = node();
                Arena arena = Arena.ofShared()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            assertEquals(b.id(), pair.dialed().peer());
            assertEquals(a.id(), pair.accepted().peer());
            assertEquals(ID, pair.dialed().id());
            var random = new SplittableRandom(17);
            int[] sizes = {0, 1, 23, 24, 25, 4096, 65_537, 131_072, RecordHeader.SEGMENT_BYTES_MAX};
            for (int round = 0; round < 3; round++) {
                for (int size : sizes) {
                    byte[] bytes = new byte[size];
                    random.nextBytes(bytes);
                    MemorySegment plain = arena.allocate(Math.max(1, size)).asSlice(0, size);
                    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, plain, 0, size);
                    echo(pair.dialed(), pair.accepted(), plain, bytes);
                    echo(pair.accepted(), pair.dialed(), MemorySegment.ofArray(bytes), bytes);
                }
            }
            assertEquals(pair.dialed().bytesSent(), pair.accepted().bytesSent());
        }
    }

    private void echo(DataStream from, DataStream to, MemorySegment plain, byte[] expected) throws Exception {
        RecordHeader header = header(expected.length, expected.length + 1L);
        Future<?> sent = threads.submit((Callable<Boolean>) () -> {
            Records.send(from, header, plain);
            return true;
        });
        ReceivedRecord received = to.receive();
        assertEquals(header, received.header());
        assertArrayEquals(expected, received.toBytes());
        sent.get();
    }

    @Test
    void manySmallRecordsInOneReadKeepTheirOrder() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            for (int i = 0; i < 500; i++) { // all in the kernel's buffer before the first is received
                Records.send(pair.dialed(), header(i % 40, i));
            }
            for (int i = 0; i < 500; i++) {
                assertEquals(header(i % 40, i), pair.accepted().receive().header());
            }
        }
    }

    @Test
    void theAcceptingSideMayOpenFirst() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), ID, PATIENCE));
            assertThrows(
                    IOException.class,
                    () -> a.links.streams().open(b.id(), new StreamId("digits", "other", 0), Duration.ofMillis(50)));
            Records.send(a.links.streams().open(b.id(), ID, PATIENCE), header(1, 1));
            assertEquals(header(1, 1), accepted.get().receive().header());
        }
    }

    @Test
    void aPeerThatNeverOpensItsEndIsNamedInTheError() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            for (TestNode[] ends : new TestNode[][] {{a, b}, {b, a}}) {
                var late = assertThrows(
                        StreamException.class,
                        () -> ends[0].links.streams().open(ends[1].id(), ID, Duration.ofMillis(50)));
                assertEquals(StreamException.Cause.NOT_OPENED, late.kind());
                assertEquals(ends[1].id(), late.peer());
            }
            var stranger = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
            assertThrows(StreamException.class, () -> a.links.streams().open(stranger, ID, PATIENCE));
        }
    }

    @Test
    void anOrderlyEndIsAnEndAndNotAnError() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            Records.send(pair.dialed(), header(3, 1));
            pair.dialed().close();
            pair.dialed().close();
            assertEquals(3, pair.accepted().receive().header().length());
            assertThrows(EOFException.class, () -> pair.accepted().receive());
            assertThrows(EOFException.class, () -> pair.accepted().receive());
            var closed = assertThrows(StreamException.class, () -> Records.send(pair.dialed(), header(0, 1)));
            assertEquals(StreamException.Cause.CLOSED, closed.kind());
        }
    }

    @Test
    void closingUnblocksAReceiverAndASender() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            Future<?> receiver = threads.submit(() -> pair.dialed().receive());
            Future<?> sender = threads.submit((Callable<Boolean>) () -> {
                while (true) {
                    Records.send(pair.dialed(), header(65_536, 1));
                }
            });
            while (pair.dialed().bytesSent() < 100_000) {
                Thread.onSpinWait();
            }
            pair.dialed().close();
            for (Future<?> blocked : new Future<?>[] {receiver, sender}) {
                var ended = assertThrows(ExecutionException.class, blocked::get);
                assertTrue(ended.getCause() instanceof StreamException, String.valueOf(ended.getCause()));
            }
        }
    }

    @Test
    void streamsEndWithTheirLink() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            Future<?> receiver = threads.submit(() -> pair.accepted().receive());
            a.links.close(b.id(), "enough");
            a.await(Seen.Lost.class);
            b.await(Seen.Lost.class);
            var ended = assertThrows(ExecutionException.class, receiver::get);
            assertTrue(ended.getCause() instanceof StreamException, String.valueOf(ended.getCause()));
            var after = assertThrows(StreamException.class, () -> Records.send(pair.dialed(), header(0, 1)));
            assertEquals(StreamException.Cause.LINK_LOST, after.kind());
        }
    }

    @Test
    void aStreamIsOpenedOnceAtATime() throws Exception {
        try (var a = node();
                var b = node()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            Pair other = open(a, b, new StreamId("digits", "lineage 7 epoch 3", 1));
            Records.send(pair.dialed(), header(0, 1));
            Records.send(other.dialed(), header(0, 2));
            assertEquals(1, pair.accepted().receive().header().collective());
            assertEquals(2, other.accepted().receive().header().collective());
            assertFalse(pair.dialed().equals(other.dialed()));
        }
    }
}
