package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.machine.LinkMessage;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.RecordBuffers;
import io.hearth.transport.record.RecordStream;
import io.hearth.transport.stream.DataPort;
import io.hearth.transport.stream.StreamPreamble;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attacks of strangers and members on the data port. */
final class DataPortAttacksTest {
    private static final StreamId ID = new StreamId("digits", "e5", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final NodeIdentity member = NodeIdentity.generate();
    private final NodeId memberId = new NodeId(member.peer(), "agent");
    private final AtomicInteger ciphers = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    private TestNode victim() throws Exception {
        RecordCipher.Factory counted = (suite, key, recordsPerKey) -> {
            ciphers.incrementAndGet();
            return new AeadCipher(suite, key, recordsPerKey);
        };
        LinkLimits quick = new LinkLimits(
                Duration.ofSeconds(5), 8192, Duration.ofSeconds(1), GateLimits.DEFAULT, 8, 8, 1 << 22, 4, 1 << 19);
        return new TestNode(NodeIdentity.generate(), "agent", 1, keys, options -> options.limits(quick), counted);
    }

    private RawPeer linked(TestNode victim) throws Exception {
        var raw = RawPeer.dial(RawPeer.context(member), victim.address());
        raw.becomeMember(member, keys);
        victim.await(Seen.Admitted.class);
        return raw;
    }

    private static SocketChannel connect(TestNode victim) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), victim.links.dataPort()));
    }

    /** Sends {@code bytes} and counts the bytes of the answer until the other side hangs up. */
    private static int answer(TestNode victim, byte[] bytes) throws IOException {
        try (var channel = connect(victim)) {
            try {
                channel.write(ByteBuffer.wrap(bytes));
                return count(channel);
            } catch (IOException reset) {
                return 0;
            }
        }
    }

    private static int count(SocketChannel channel) throws IOException {
        int bytes = 0;
        var in = ByteBuffer.allocate(64);
        for (int read = channel.read(in); read >= 0; read = channel.read(in.clear())) {
            bytes += read;
        }
        return bytes;
    }

    private static byte[] preamble(Bytes ticket) {
        return ByteBuffer.allocate(StreamPreamble.DIALER_BYTES)
                .putInt(0x48525431)
                .put(ticket.toArray())
                .put(new byte[StreamKeys.SALT_BYTES])
                .array();
    }

    private static Bytes ticket(RawPeer raw, long request) throws IOException {
        raw.say(new LinkMessage.StreamRequest(request, ID));
        var ticket = (LinkMessage.StreamTicket) raw.hear();
        assertEquals(request, ticket.request());
        return ticket.ticket();
    }

    @Test
    void withoutALinkNobodyIsHeard() throws Exception {
        try (var a = victim()) {
            assertEquals(0, answer(a, preamble(Bytes.of(new byte[16]))));
            TestNode.until("counted", () -> a.links.counters().streamsRefused() == 1);
        }
    }

    @Test
    void connectionsAreExpectedOnlyWhereATicketWentAndOnlyUntilItIsUsed() throws Exception {
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        InetAddress elsewhere = InetAddress.ofLiteral("127.0.0.2");
        try (var a = victim()) {
            var admission = (DataPort.Admission) a.links.streams();
            assertTrue(!admission.isExpected(here, here), "before there is a link");
            try (var raw = linked(a)) {
                assertTrue(!admission.isExpected(here, here), "before a ticket is out");
                Future<DataStream> waiting =
                        threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
                Bytes ticket = ticket(raw, 1);
                assertTrue(admission.isExpected(here, here));
                assertTrue(!admission.isExpected(elsewhere, here), "from another address");
                assertTrue(!admission.isExpected(here, elsewhere), "to another address of this machine");
                try (var stream = redeem(a, raw, ticket)) {
                    stream.begin();
                    waiting.get();
                    assertTrue(!admission.isExpected(here, here), "after it was used");
                }
            }
        }
    }

    @Test
    void unknownTicketsGarbageAndSilenceGetNoAnswerAndNoCipher() throws Exception {
        try (var a = victim();
                var raw = linked(a)) {
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            Bytes good = ticket(raw, 1);
            byte[] nearMiss = good.toArray();
            nearMiss[15] ^= 1;
            byte[] wrongMagic = preamble(good);
            wrongMagic[0] ^= 1;
            assertEquals(0, answer(a, preamble(Bytes.of(nearMiss))));
            assertEquals(0, answer(a, wrongMagic));
            assertEquals(0, answer(a, Arrays.copyOf(preamble(good), 35))); // ended by the time limit
            assertEquals(0, answer(a, new byte[0]));
            assertEquals(0, ciphers.get());
            assertTrue(!waiting.isDone());
            TestNode.until("counted", () -> a.links.counters().streamsRefused() == 4);
        }
    }

    @Test
    void anEarlierTicketOfTheSameStreamIsVoid() throws Exception {
        try (var a = victim();
                var raw = linked(a)) {
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            Bytes first = ticket(raw, 1);
            Bytes second = ticket(raw, 2);
            assertEquals(0, answer(a, preamble(first)));
            assertEquals(0, ciphers.get());
            try (var stream = redeem(a, raw, second)) {
                stream.begin();
                assertEquals(memberId, waiting.get().peer());
            }
            assertEquals(0, answer(a, preamble(second))); // used
        }
    }

    @Test
    void aStolenTicketOpensNothingAndTheStreamIsOfferedAgain() throws Exception {
        try (var a = victim();
                var raw = linked(a)) {
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            Bytes stolen = ticket(raw, 1);
            byte[] record = new byte[RecordHeader.BYTES + RecordCipher.TAG_BYTES];
            byte[] racer = Arrays.copyOf(preamble(stolen), StreamPreamble.DIALER_BYTES + record.length);
            int heard = answer(a, racer);
            assertTrue(heard <= StreamKeys.SALT_BYTES + record.length, "a salt and an opening record, got " + heard);
            assertTrue(!waiting.isDone());

            Bytes again = ticket(raw, 2);
            try (var stream = redeem(a, raw, again)) {
                stream.begin();
                var header = new RecordHeader(2, RecordHeader.USER_MIN, 0, 1, 0);
                Records.send(stream, header);
                assertEquals(header, waiting.get().receive().header());
            }
        }
    }

    @Test
    void bytesOfAnotherEpochDoNotDecrypt() throws Exception {
        try (var a = victim();
                var raw = linked(a)) {
            var other = new StreamId("digits", "e6", 0);
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            try (var stream = redeem(a, raw, ticket(raw, 1), other)) {
                try {
                    stream.begin();
                    throw new AssertionError("keys of epoch e6 opened a stream of e5");
                } catch (StreamException refused) {
                    assertTrue(refused.kind() == StreamException.Cause.FORGED
                            || refused.kind() == StreamException.Cause.CUT);
                }
            }
            assertTrue(!waiting.isDone());
        }
    }

    /** Idle connections from the member's own address: another process there, or a host behind the same address. */
    @Test
    void aMemberOpensItsStreamWhileItsAddressHoldsIdleConnections() throws Exception {
        List<SocketChannel> idle = new ArrayList<>();
        try (var a = victim();
                var raw = linked(a)) {
            Future<DataStream> waiting = threads.submit(() -> a.links.streams().open(memberId, ID, PATIENCE));
            Bytes ticket = ticket(raw, 1);
            for (int i = 0; i < 40; i++) {
                idle.add(connect(a));
            }
            long startNanos = System.nanoTime();
            try (var stream = redeem(a, raw, ticket)) {
                stream.begin();
                assertEquals(memberId, waiting.get().peer());
                long tookNanos = System.nanoTime() - startNanos;
                assertTrue(tookNanos < TimeUnit.SECONDS.toNanos(1), "it took " + tookNanos + " ns");
            }
        } finally {
            for (SocketChannel channel : idle) {
                channel.close();
            }
        }
    }

    @Test
    void aNodeWithoutADataPortSaysSoAndIsLinkedAllTheSame() throws Exception {
        try (var agent = new TestNode(
                        NodeIdentity.generate(),
                        "agent",
                        1,
                        keys,
                        options -> options.withoutStreams().transport(DataTransport.TCP),
                        AeadCipher::new);
                var a = victim()) {
            assertEquals(0, agent.links.dataPort());
            a.link(agent);
            Future<DataStream> own =
                    threads.submit(() -> agent.links.streams().open(a.id(), ID, Duration.ofSeconds(2)));
            var none = assertThrows(
                    StreamException.class, () -> a.links.streams().open(agent.id(), ID, Duration.ofSeconds(2)));
            assertTrue(String.valueOf(none.getMessage()).contains("it takes no data streams"), none.getMessage());
            assertThrows(ExecutionException.class, own::get);
        }
    }

    private RecordStream redeem(TestNode victim, RawPeer raw, Bytes ticket) throws IOException {
        return redeem(victim, raw, ticket, ID);
    }

    /** The dialling side of a stream, made by hand from the same link. */
    private RecordStream redeem(TestNode victim, RawPeer raw, Bytes ticket, StreamId id) throws IOException {
        byte[] linkKey = keys.linkKey(raw.exporter("EXPORTER-hearth-1 data").toArray());
        var channel = connect(victim);
        byte[] dialSalt = new byte[StreamKeys.SALT_BYTES];
        StreamPreamble.writeDialed(channel, new StreamPreamble.Dialed(ticket, Bytes.of(dialSalt)));
        byte[] acceptSalt = StreamPreamble.readSalt(channel).toArray();
        return new RecordStream(
                victim.id(),
                id,
                channel,
                new AeadCipher(
                        RecordCipher.Suite.AES_256_GCM,
                        StreamKeys.derive(linkKey, id, dialSalt, acceptSalt, true),
                        1 << 19),
                new AeadCipher(
                        RecordCipher.Suite.AES_256_GCM,
                        StreamKeys.derive(linkKey, id, dialSalt, acceptSalt, false),
                        1 << 19),
                ThreadLocal.withInitial(RecordBuffers::new),
                new Deadlines(timer),
                _ -> {});
    }
}
