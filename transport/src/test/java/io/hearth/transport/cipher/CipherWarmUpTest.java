package io.hearth.transport.cipher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DataTransport;
import io.hearth.transport.TestNode;
import io.hearth.transport.cipher.RecordCipher.Suite;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;

/** The end of a cipher's warm-up, by a clock that the pairs advance. */
final class CipherWarmUpTest {
    private static final long MILLISECOND = 1_000_000;

    private final TakenTime taken = new TakenTime();

    /** A clock with a duration for each pair, by its number. */
    private static final class TakenTime implements Clock {
        private long now;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    /** A real cipher that counts and takes its time. */
    private final class Counting implements RecordCipher {
        private final RecordCipher real = new AeadCipher(Suite.AES_256_GCM, new byte[32], Long.MAX_VALUE);
        private final LongUnaryOperator nanos;
        private int uses;
        private boolean destroyed;

        Counting(LongUnaryOperator nanos) {
            this.nanos = nanos;
        }

        @Override
        public int seal(byte[] record, int length) {
            taken.now += nanos.applyAsLong(uses++);
            return length < 1000 || uses <= 3 ? real.seal(record, length) : length; // the first ones show that it works
        }

        @Override
        public void open(byte[] record, int length, byte[] plaintext) throws AEADBadTagException {
            if (uses++ < 3) {
                real.open(record, length, plaintext);
                assertTrue(Arrays.equals(plaintext, 0, 8, new byte[8], 0, 8) == (uses == 1), "its pairs differ");
            }
        }

        @Override
        public void destroy() {
            destroyed = true;
            real.destroy();
        }
    }

    private int pairs(LongUnaryOperator nanos) {
        var sealer = new Counting(nanos);
        var opener = new Counting(_ -> 0);
        int pairs = new CipherWarmUp(sealer, opener, taken).run();
        assertEquals(pairs, sealer.uses);
        assertEquals(pairs, opener.uses);
        assertTrue(sealer.destroyed && opener.destroyed);
        return pairs;
    }

    @Test
    void itEndsAfterAsManyPairsAsTheCompilerWants() {
        assertEquals(CipherWarmUp.PAIRS_MIN, pairs(_ -> 100_000));
    }

    @Test
    void itGoesOnWhileTheCompilerIsLate() {
        int late = 2 * CipherWarmUp.PAIRS_MIN;
        long after = CipherWarmUp.STEADY_NANOS / 10_000; // pairs until no faster one came for that time
        assertEquals(late + 1 + after, pairs(pair -> pair < late ? 100_000 * (long) late / (pair + late / 2) : 10_000));
    }

    @Test
    void whereAllIsSlowItEndsAllTheSame() {
        assertEquals(CipherWarmUp.NANOS_MAX / (100 * MILLISECOND), pairs(_ -> 100 * MILLISECOND));
    }

    @Test
    void aPairThatDoesNotOpenIsABug() {
        var other = new AeadCipher(
                Suite.AES_256_GCM,
                new byte[] {
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                    28, 29, 30, 31, 32
                },
                Long.MAX_VALUE);
        var warmUp = new CipherWarmUp(new Counting(_ -> 0), other, taken);
        assertThrows(AssertionError.class, warmUp::run);
    }

    @Test
    void itIsBegunByALinkWhoseStreamsGoByTcp() throws Exception {
        NamespaceKeys keys = NetworkNamespace.create("warm").keys();
        try (var a = node(keys);
                var b = node(keys)) {
            a.link(b);
            assertTrue(CipherWarmUp.isBegun(Suite.AES_256_GCM) || CipherWarmUp.isBegun(Suite.CHACHA20_POLY1305));
        }
    }

    private static TestNode node(NamespaceKeys keys) throws SetupException {
        return new TestNode(
                NodeIdentity.generate(), "agent", 1, keys, how -> how.transport(DataTransport.TCP), AeadCipher::new);
    }
}
