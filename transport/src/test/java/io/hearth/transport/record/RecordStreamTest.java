package io.hearth.transport.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.cipher.RecordCipher.Suite;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A receiver of bytes that are not exactly those that the peer sealed. */
final class RecordStreamTest {
    private static final byte[] KEY_IN = filled(1);
    private static final byte[] KEY_OUT = filled(2);
    private static final NodeId PEER = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    private static final StreamId ID = new StreamId("digits", "e1", 0);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ThreadLocal<RecordBuffers> buffers = ThreadLocal.withInitial(RecordBuffers::new);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    /** A receiver's result for a stream: the lengths of its records, and its end. */
    private record Outcome(List<Long> taken, IOException end) {
        StreamException.Cause cause() {
            if (end instanceof StreamException typed) {
                assertEquals(PEER, typed.peer());
                return typed.kind();
            }
            throw new AssertionError("not a typed error", end);
        }
    }

    private static byte[] filled(int value) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) value);
        return key;
    }

    /** OPEN, three records with collectives 1 to 3, END. */
    private static List<byte[]> wholeStream() {
        var sealer = new AeadCipher(Suite.AES_256_GCM, KEY_IN.clone(), 1 << 19);
        var records = new ArrayList<byte[]>();
        records.add(sealed(sealer, new RecordHeader(0, RecordHeader.OPEN, 0, 0, 0)));
        for (int i = 1; i <= 3; i++) {
            records.add(sealed(sealer, new RecordHeader(5, RecordHeader.USER_MIN, i, i, i)));
        }
        records.add(sealed(sealer, new RecordHeader(0, RecordHeader.END, 0, 0, 0)));
        return records;
    }

    private static byte[] sealed(RecordCipher sealer, RecordHeader header) {
        byte[] record = new byte[RecordHeader.BYTES + header.length() + RecordCipher.TAG_BYTES];
        header.writeTo(record);
        assertEquals(record.length, sealer.seal(record, header.length()));
        return record;
    }

    /** Plays {@code wire} to a fresh receiver and then hangs up. */
    private Outcome play(List<byte[]> wire) throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var raw = SocketChannel.open(server.getLocalAddress());
                var channel = server.accept()) {
            for (byte[] bytes : wire) {
                raw.write(ByteBuffer.wrap(bytes));
            }
            raw.shutdownOutput();
            var stream = new RecordStream(
                    PEER,
                    ID,
                    channel,
                    new AeadCipher(Suite.AES_256_GCM, KEY_OUT.clone(), 1 << 19),
                    new AeadCipher(Suite.AES_256_GCM, KEY_IN.clone(), 1 << 19),
                    buffers,
                    new Deadlines(timer),
                    _ -> {});
            var taken = new ArrayList<Long>();
            try {
                stream.begin();
                while (true) {
                    taken.add(stream.receive().header().collective());
                }
            } catch (IOException end) {
                return new Outcome(taken, end);
            } finally {
                stream.close();
            }
        }
    }

    private void refused(List<byte[]> wire, List<Long> takenBefore, StreamException.Cause cause) throws IOException {
        Outcome outcome = play(wire);
        assertEquals(takenBefore, outcome.taken());
        assertEquals(cause, outcome.cause());
    }

    @Test
    void theStreamAsSentIsTakenWhole() throws IOException {
        Outcome outcome = play(wholeStream());
        assertEquals(List.of(1L, 2L, 3L), outcome.taken());
        assertTrue(outcome.end() instanceof EOFException, outcome.end().toString());
    }

    @Test
    void recordsMayComeInAnyPieces() throws IOException {
        var all = new ByteArrayOutputStream();
        wholeStream().forEach(all::writeBytes);
        byte[] whole = all.toByteArray();
        for (int size = 1; size <= whole.length; size += 13) {
            var pieces = new ArrayList<byte[]>();
            for (int from = 0; from < whole.length; from += size) {
                pieces.add(Arrays.copyOfRange(whole, from, Math.min(from + size, whole.length)));
            }
            Outcome outcome = play(pieces);
            assertEquals(List.of(1L, 2L, 3L), outcome.taken(), "pieces of " + size);
            assertTrue(outcome.end() instanceof EOFException, "pieces of " + size);
        }
    }

    @Test
    void everySingleBitCounts() throws IOException {
        int bits = wholeStream().get(2).length * 8;
        for (int bit = 0; bit < bits; bit++) {
            List<byte[]> wire = wholeStream();
            wire.get(2)[bit / 8] ^= (byte) (1 << (bit % 8));
            Outcome outcome = play(wire);
            assertEquals(List.of(1L), outcome.taken(), "bit " + bit);
            StreamException.Cause cause = outcome.cause();
            boolean length = bit < 32; // then the receiver may wait for bytes that never come
            assertTrue(
                    cause == StreamException.Cause.FORGED || (length && cause == StreamException.Cause.CUT),
                    "bit " + bit + ": " + cause);
        }
    }

    @Test
    void aDroppedRepeatedOrSwappedRecordEndsTheStreamThere() throws IOException {
        List<byte[]> dropped = wholeStream();
        dropped.remove(2);
        refused(dropped, List.of(1L), StreamException.Cause.FORGED);

        List<byte[]> repeated = wholeStream();
        repeated.add(2, repeated.get(1));
        refused(repeated, List.of(1L), StreamException.Cause.FORGED);

        List<byte[]> swapped = wholeStream();
        Collections.swap(swapped, 2, 3);
        refused(swapped, List.of(1L), StreamException.Cause.FORGED);
    }

    @Test
    void aStreamCutAnywhereBeforeItsEndIsNoEnd() throws IOException {
        var all = ByteBuffer.allocate(1_000);
        wholeStream().forEach(all::put);
        int whole = all.position();
        int record = wholeStream().get(1).length;
        int opening = wholeStream().get(0).length;
        for (int cut = 0; cut < whole; cut++) {
            Outcome outcome = play(List.of(Arrays.copyOf(all.array(), cut)));
            assertEquals(
                    Math.clamp((cut - opening) / record, 0, 3), outcome.taken().size(), "cut at " + cut);
            assertEquals(StreamException.Cause.CUT, outcome.cause(), "cut at " + cut);
        }
    }

    @Test
    void aStreamBeginsWithItsOpeningRecordAndHasOnlyOne() throws IOException {
        var sealer = new AeadCipher(Suite.AES_256_GCM, KEY_IN.clone(), 1 << 19);
        refused(
                List.of(sealed(sealer, new RecordHeader(0, RecordHeader.USER_MIN, 0, 0, 0))),
                List.of(),
                StreamException.Cause.FORGED);
        var twice = new AeadCipher(Suite.AES_256_GCM, KEY_IN.clone(), 1 << 19);
        var opening = new RecordHeader(0, RecordHeader.OPEN, 0, 0, 0);
        refused(List.of(sealed(twice, opening), sealed(twice, opening)), List.of(), StreamException.Cause.FORGED);
    }

    @Test
    void aRecordUnderAnotherKeyIsRefusedAtOnce() throws IOException {
        var other = new AeadCipher(Suite.AES_256_GCM, filled(3), 1 << 19);
        refused(
                List.of(sealed(other, new RecordHeader(0, RecordHeader.OPEN, 0, 0, 0))),
                List.of(),
                StreamException.Cause.FORGED);
    }
}
