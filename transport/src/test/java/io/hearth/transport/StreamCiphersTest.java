package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keys of streams over TCP. */
final class StreamCiphersTest {
    private static final StreamId ID = new StreamId("digits", "lineage 7 epoch 3", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() throws InterruptedException {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }

    private TestNode tcp() throws SetupException {
        return tcp(AeadCipher::new);
    }

    private TestNode tcp(RecordCipher.Factory ciphers) throws SetupException {
        return new TestNode(NodeIdentity.generate(), "agent", 1, keys, o -> o.transport(DataTransport.TCP), ciphers);
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

    /** Attack 28: the two ends, which have one key each, never seal twice with one key and one nonce. */
    @Test
    void aThousandConnectionsNeverRepeatAKeyAndANonce() throws Exception {
        var ciphers = new WitnessedCiphers();
        int connections = 1_000;
        try (var a = tcp(ciphers);
                var b = tcp(ciphers)) {
            a.link(b);
            for (int i = 0; i < connections; i++) { // the same stream of the same epoch, again and again
                Pair pair = open(a, b, ID);
                pair.dialed().close();
                pair.accepted().close();
            }
        }
        assertTrue(ciphers.records() >= 2L * connections, () -> ciphers.records() + " records were sealed");
        assertEquals(0, ciphers.unexplained(), "records under another nonce than their number, or another key");
        assertEquals(ciphers.records(), ciphers.pairs());
    }

    @Test
    void whereAesIsSlowOnEitherSideBothTakeChaCha() throws Exception {
        Set<RecordCipher.Suite> used = ConcurrentHashMap.newKeySet();
        RecordCipher.Factory watched = (suite, key, recordsPerKey) -> {
            used.add(suite);
            return new AeadCipher(suite, key, recordsPerKey);
        };
        try (var a = new TestNode(
                        NodeIdentity.generate(),
                        "agent",
                        1,
                        keys,
                        options -> options.aesSlow(true).transport(DataTransport.TCP),
                        watched);
                var b = new TestNode(
                        NodeIdentity.generate(),
                        "agent",
                        1,
                        keys,
                        options -> options.transport(DataTransport.TCP),
                        watched);
                var fast = tcp()) {
            a.link(b);
            Pair pair = open(a, b, ID);
            echo(pair.dialed(), pair.accepted(), MemorySegment.ofArray(new byte[777]), new byte[777]);
            assertEquals(Set.of(RecordCipher.Suite.CHACHA20_POLY1305), used);
            b.link(fast);
            used.clear();
            open(b, fast, ID);
            assertEquals(Set.of(RecordCipher.Suite.AES_256_GCM), used);
        }
    }

    @Test
    void theKeyRatchetIsCrossedUnseen() throws Exception {
        LinkLimits small = LinkLimits.DEFAULT.recordsPerKey(5);
        try (var a = new TestNode(
                        NodeIdentity.generate(),
                        "agent",
                        1,
                        keys,
                        o -> o.limits(small).transport(DataTransport.TCP),
                        AeadCipher::new);
                var b = new TestNode(
                        NodeIdentity.generate(),
                        "agent",
                        1,
                        keys,
                        o -> o.limits(small).transport(DataTransport.TCP),
                        AeadCipher::new)) {
            a.link(b);
            Pair pair = open(a, b, ID);
            for (int i = 0; i < 50; i++) {
                echo(pair.dialed(), pair.accepted(), MemorySegment.ofArray(new byte[i]), new byte[i]);
            }
        }
    }
}
