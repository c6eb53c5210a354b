package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.control.LinkKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys are overwritten when their link or stream ends, and never appear in text. */
final class KeyLifeTest {
    private static final StreamId ID = new StreamId("digits", "e5", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void theKeyOfALinkIsOverwrittenWhenItEnds() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.link(b);
            List<LinkKey> both = List.of(
                    a.links.link(b.id()).orElseThrow().key(),
                    b.links.link(a.id()).orElseThrow().key());
            both.forEach(key -> assertTrue(key.copy().isPresent()));
            a.links.close(b.id(), "the test is over");
            a.await(Seen.Lost.class);
            b.await(Seen.Lost.class);
            both.forEach(key -> assertTrue(key.copy().isEmpty(), "the key outlived its link"));
        }
    }

    @Test
    void wipingOverwritesTheBytesThemselves() {
        byte[] bytes = {1, 2, 3, 4};
        var key = new LinkKey(bytes);
        byte[] copy = key.copy().orElseThrow();
        key.wipe();
        assertArrayEquals(new byte[4], bytes);
        assertArrayEquals(new byte[] {1, 2, 3, 4}, copy, "a copy is its owner's");
    }

    @Test
    void theKeysOfAStreamAreOverwrittenWhenItEnds() throws Exception {
        Queue<byte[]> made = new ConcurrentLinkedQueue<>();
        RecordCipher.Factory watched = (suite, key, recordsPerKey) -> {
            made.add(key);
            return new AeadCipher(suite, key, recordsPerKey);
        };
        try (var a = new TestNode(
                        NodeIdentity.generate(), "agent", 1, keys, o -> o.transport(DataTransport.TCP), watched);
                var b = new TestNode(
                        NodeIdentity.generate(), "agent", 1, keys, o -> o.transport(DataTransport.TCP), watched)) {
            a.link(b);
            Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), ID, PATIENCE));
            DataStream dialed = a.links.streams().open(b.id(), ID, PATIENCE);
            DataStream other = accepted.get();
            assertEquals(4, made.size());
            made.forEach(key -> assertFalse(Arrays.equals(new byte[StreamKeys.KEY_BYTES], key)));
            dialed.close();
            other.close();
            made.forEach(key -> assertArrayEquals(new byte[StreamKeys.KEY_BYTES], key));
        }
    }

    @Test
    void nothingThatHoldsAKeyShowsIt() {
        byte[] key = new byte[StreamKeys.KEY_BYTES];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (100 + i);
        }
        String shown = new LinkKey(key.clone()) + " "
                + new AeadCipher(RecordCipher.Suite.AES_256_GCM, key.clone(), 1) + " "
                + NodeIdentity.generate() + " " + keys;
        for (String form : List.of(
                HexFormat.of().formatHex(key, 4, 8),
                "104, 105, 106",
                new String(key, 4, 8, java.nio.charset.StandardCharsets.ISO_8859_1),
                "[B@")) {
            assertFalse(shown.contains(form), shown);
        }
        assertTrue(shown.startsWith("LinkKey[redacted] AeadCipher[AES_256_GCM, redacted] NodeIdentity["), shown);
        assertTrue(shown.endsWith(" NamespaceKeys[redacted]"), shown);
    }
}
