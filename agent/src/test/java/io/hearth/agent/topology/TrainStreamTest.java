package io.hearth.agent.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.topology.TcpCounters;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.Train;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.StreamId;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Two ends of a measurement in one process, over bounded queues. Their time is that of a wire, which brings a record of data in 0.1 ms: by the
 * computer's own clock a receiver that is held up would see another rate than the sender believes.
 */
final class TrainStreamTest {
    private static final NodeId PEER = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    private static final long PATIENCE_SECONDS = 60;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Letter(int kind, long offset, byte[] bytes) {}

    /** The time that data took in both directions of a pipe. */
    private static final class Wire implements Clock {
        static final long BYTES_PER_SECOND = Train.RECORD_BYTES * 10_000L;

        private static final long RECORD_NANOS = 100_000;

        private final AtomicLong nanos = new AtomicLong();

        void carries() {
            nanos.addAndGet(RECORD_NANOS);
        }

        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    /** One end of a pipe. */
    private static final class End implements DataStream {
        private static final Letter CLOSED = new Letter(1, 0, new byte[0]);

        private final BlockingQueue<Letter> out;
        private final BlockingQueue<Letter> in;
        private final AtomicBoolean closed;
        private final Wire wire;
        private final ReceivedRecord received = new ReceivedRecord();

        End(BlockingQueue<Letter> out, BlockingQueue<Letter> in, AtomicBoolean closed, Wire wire) {
            this.out = out;
            this.in = in;
            this.closed = closed;
            this.wire = wire;
        }

        @Override
        public NodeId peer() {
            return PEER;
        }

        @Override
        public StreamId id() {
            return new StreamId("bandwidth", "test", 0);
        }

        @Override
        public void send(
                int kind,
                int chunk,
                long collective,
                long offset,
                MemorySegment prefix,
                MemorySegment bytes,
                long from,
                int length)
                throws IOException {
            try {
                if (closed.get()
                        || !out.offer(
                                new Letter(
                                        kind,
                                        offset,
                                        bytes.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE)),
                                PATIENCE_SECONDS,
                                TimeUnit.SECONDS)) {
                    throw new IOException("closed");
                }
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
        }

        @Override
        public ReceivedRecord receive() throws IOException {
            try {
                Letter letter = in.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (letter == null || letter.equals(CLOSED)) {
                    throw new EOFException("closed");
                }
                if (letter.bytes.length > 0) {
                    wire.carries();
                }
                return received.show(letter.kind, 0, 0, letter.offset, letter.bytes, 0, letter.bytes.length);
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
        }

        @Override
        public long bytesSent() {
            return 0;
        }

        @Override
        public void close() {
            closed.set(true);
            out.offer(CLOSED);
            in.offer(CLOSED);
        }
    }

    private final BlockingQueue<Letter> ahead = new ArrayBlockingQueue<>(10_000);
    private final BlockingQueue<Letter> back = new ArrayBlockingQueue<>(10_000);
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Wire wire = new Wire();
    private final End asker = new End(ahead, back, closed, wire);
    private final End asked = new End(back, ahead, closed, wire);

    /** 2 of 200 segments are lost during each train. */
    private final Supplier<Optional<TcpCounters>> counters = new Supplier<>() {
        private TcpCounters now = new TcpCounters(1_000, 10);

        @Override
        public Optional<TcpCounters> get() {
            var then = now;
            now = new TcpCounters(then.sent() + 200, then.repeated() + 2);
            return Optional.of(then);
        }
    };

    private Future<Optional<Bandwidth>> run(ExecutorService threads, End end, boolean asks, BooleanSupplier mayGoOn) {
        return threads.submit(() -> {
            try (end) {
                return new TrainStream(end, wire, mayGoOn, counters).run(asks, 0);
            }
        });
    }

    @Test
    void bothEndsLearnTheSameTwoRates() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var one = run(threads, asker, true, () -> true);
            var other = new TrainStream(asked, wire, () -> true, Optional::empty);
            Bandwidth atAsked = other.run(false, 0).orElseThrow();
            Bandwidth atAsker = one.get().orElseThrow();
            assertEquals(Wire.BYTES_PER_SECOND, atAsker.outBytesPerSecond());
            assertEquals(Wire.BYTES_PER_SECOND, atAsker.inBytesPerSecond());
            assertEquals(Wire.BYTES_PER_SECOND, atAsked.outBytesPerSecond());
            assertEquals(Wire.BYTES_PER_SECOND, atAsked.inBytesPerSecond());
            assertEquals(OptionalInt.of(10), atAsker.lossPermille());
            assertEquals(OptionalInt.empty(), atAsked.lossPermille());
        }
    }

    @Test
    void aCollectiveStopsTheTrainAtItsNextRecord() throws Exception {
        var records = new AtomicInteger();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var one = run(threads, asker, true, () -> records.incrementAndGet() < 5);
            assertThrows(
                    IOException.class, () -> new TrainStream(asked, wire, () -> true, Optional::empty).run(false, 0));
            var failed = assertThrows(ExecutionException.class, one::get);
            assertTrue(failed.toString().contains("a collective began"), failed::toString);
            assertEquals(5, records.get());
        }
    }

    @Test
    void anAcknowledgementOfBytesThatWereNotSentEndsTheMeasurement() throws Exception {
        back.put(new Letter(17, Long.MAX_VALUE, new byte[0]));
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var failed = assertThrows(ExecutionException.class, run(threads, asker, true, () -> true)::get);
            assertInstanceOf(IOException.class, failed.getCause());
            assertTrue(failed.toString().contains("acknowledged bytes"), failed::toString);
        }
    }

    @Test
    void aRecordOfAnotherKindEndsTheMeasurement() throws Exception {
        ahead.put(new Letter(99, 0, new byte[0]));
        assertThrows(IOException.class, () -> new TrainStream(asked, wire, () -> true, Optional::empty).run(false, 0));
        back.put(new Letter(18, 0, new byte[0]));
        assertThrows(IOException.class, () -> new TrainStream(asker, wire, () -> true, Optional::empty).run(true, 0));
    }

    @Test
    void aPeerThatClaimsMoreThanItReceivedIsNotBelieved() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var one = run(threads, asker, true, () -> true);
            long bytes = 0;
            for (Letter letter = ahead.take(); letter.kind() == 16; letter = ahead.take()) {
                bytes += letter.bytes().length;
                wire.carries();
                back.put(new Letter(17, bytes, new byte[0]));
            }
            back.put(new Letter(19, 12_500_000_000L, new byte[0])); // 100 Gbit/s
            for (int record = 0; record < 50; record++) {
                back.put(new Letter(16, 0, new byte[Train.RECORD_BYTES]));
            }
            back.put(new Letter(18, 0, new byte[0]));
            long believed = one.get().orElseThrow().outBytesPerSecond();
            assertTrue(believed < 12_500_000_000L, () -> "believes " + believed + " B/s");
        }
    }

    @Test
    void aTrainWithoutRecordsHasNoRate() throws Exception {
        ahead.put(new Letter(18, 0, new byte[0])); // the end of an empty train
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var answers = run(threads, asked, false, () -> true);
            assertEquals(19, back.take().kind());
            long bytes = 0;
            for (Letter letter = back.take(); letter.kind() == 16; letter = back.take()) {
                bytes += letter.bytes().length;
                ahead.put(new Letter(17, bytes, new byte[0]));
            }
            ahead.put(new Letter(19, 0, new byte[0])); // too short to tell
            assertEquals(Optional.empty(), answers.get());
        }
    }
}
