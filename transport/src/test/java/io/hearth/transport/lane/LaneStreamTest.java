package io.hearth.transport.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamEnds;
import io.hearth.transport.StreamException;
import io.hearth.transport.TestNode;
import io.hearth.transport.machine.LaneLimits;
import io.hearth.transport.record.RecordStream;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams of several lanes over real sockets that break, stall and come back. */
final class LaneStreamTest {
    private static final int KIND = RecordHeader.USER_MIN;
    private static final int RECORD = 200_000;
    private static final int RECORDS = 1_500;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() throws InterruptedException {
        threads.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
        timer.shutdownNow();
        TestNode.until(
                "no thread of a lane is left",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("hearth-lane")));
    }

    /** Passes bytes between two sockets, in both directions, while its gate is open. */
    private final class Proxy implements AutoCloseable {
        private final SocketChannel dialed;
        private final SocketChannel accepted;
        private final SocketChannel inner;
        private final SocketChannel outer;
        private final Phaser gate = new Phaser(1); // its phase changes when a closed gate opens
        private volatile boolean closed; // written by the test, read by the pumps

        Proxy() throws IOException {
            try (var server =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                dialed = SocketChannel.open(server.getLocalAddress());
                inner = server.accept();
                outer = SocketChannel.open(server.getLocalAddress());
                accepted = server.accept();
            }
            var _ = threads.submit(() -> pump(inner, outer));
            var _ = threads.submit(() -> pump(outer, inner));
        }

        private Object pump(SocketChannel from, SocketChannel to) throws IOException, InterruptedException {
            ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
            while (from.read(bytes.clear()) >= 0) {
                await();
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
            }
            return true;
        }

        private void await() throws InterruptedException {
            int phase = gate.getPhase();
            if (closed) {
                gate.awaitAdvanceInterruptibly(phase);
            }
        }

        void stall() {
            closed = true;
        }

        void goOn() {
            closed = false;
            gate.arrive();
        }

        @Override
        public void close() throws IOException {
            for (Channel channel : new Channel[] {dialed, accepted, inner, outer}) {
                channel.close();
            }
        }
    }

    private StreamEnds ends(Proxy... lanes) throws IOException {
        StreamEnds ends = StreamEnds.lanes(0, timer);
        for (int lane = 0; lane < lanes.length; lane++) {
            join(ends, lane, lanes[lane]);
        }
        return ends;
    }

    private void join(StreamEnds ends, int lane, Proxy proxy) throws IOException {
        StreamEnds.joinLane(
                (LaneStream) ends.first(), (LaneStream) ends.second(), lane, proxy.dialed, proxy.accepted, timer);
    }

    private Future<?> sender(DataStream stream, int from, int to) {
        return threads.submit(() -> {
            byte[] bytes = new byte[RECORD];
            for (int i = from; i < to; i++) {
                Arrays.fill(bytes, (byte) i);
                stream.send(KIND, i, i, 0, MemorySegment.NULL, MemorySegment.ofArray(bytes), 0, RECORD - i % 1_000);
            }
            return true;
        });
    }

    private static void receive(DataStream stream, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            ReceivedRecord record = stream.receive();
            assertEquals(i, record.collective());
            byte[] expected = new byte[RECORD - i % 1_000];
            Arrays.fill(expected, (byte) i);
            assertEquals(-1, MemorySegment.ofArray(record.toBytes()).mismatch(MemorySegment.ofArray(expected)));
        }
    }

    private static void close(StreamEnds ends) {
        ends.first().close();
        ends.second().close();
    }

    @Test
    void recordsPassALaneThatStallsForEver() throws Exception {
        try (var steady = new Proxy();
                var victim = new Proxy()) {
            StreamEnds ends = ends(steady, victim);
            Future<?> sender = sender(ends.first(), 0, RECORDS);
            receive(ends.second(), 0, 300);
            victim.stall();
            receive(ends.second(), 300, RECORDS);
            sender.get();
            close(ends);
        }
    }

    @Test
    void aLaneThatStalledServesAgain() throws Exception {
        try (var first = new Proxy();
                var second = new Proxy()) {
            StreamEnds ends = ends(first, second);
            Future<?> sender = sender(ends.first(), 0, RECORDS);
            receive(ends.second(), 0, 300);
            second.stall();
            receive(ends.second(), 300, 600);
            second.goOn();
            receive(ends.second(), 600, 700);
            first.stall(); // for ever
            receive(ends.second(), 700, RECORDS);
            sender.get();
            close(ends);
        }
    }

    @Test
    void recordsPassALaneThatBreaksInMidRecordAndUseItsNextConnection() throws Exception {
        try (var first = new Proxy();
                var second = new Proxy();
                var third = new Proxy()) {
            StreamEnds ends = ends(first, second);
            Future<?> sender = sender(ends.first(), 0, RECORDS);
            receive(ends.second(), 0, 300);
            second.inner.close();
            second.outer.close();
            receive(ends.second(), 300, 600);
            join(ends, 1, third);
            first.inner.close();
            first.outer.close();
            receive(ends.second(), 600, RECORDS);
            sender.get();
            assertTrue(((LaneStream) ends.first()).hasLane(1));
            assertFalse(((LaneStream) ends.first()).hasLane(0));
            close(ends);
        }
    }

    @Test
    void bothDirectionsPassALaneThatStalls() throws Exception {
        try (var steady = new Proxy();
                var victim = new Proxy()) {
            StreamEnds ends = ends(steady, victim);
            Future<?> out = sender(ends.first(), 0, RECORDS);
            Future<?> back = sender(ends.second(), 0, RECORDS);
            Future<?> there = threads.submit(() -> {
                receive(ends.second(), 0, RECORDS);
                return true;
            });
            receive(ends.first(), 0, 300);
            victim.stall();
            receive(ends.first(), 300, RECORDS);
            there.get();
            out.get();
            back.get();
            close(ends);
        }
    }

    @Test
    void anOrderlyEndPassesALaneThatStalls() throws Exception {
        try (var steady = new Proxy();
                var victim = new Proxy()) {
            StreamEnds ends = ends(victim, steady);
            victim.stall();
            Future<?> sender = sender(ends.first(), 0, 40);
            receive(ends.second(), 0, 40);
            sender.get();
            ends.first().close();
            assertThrows(EOFException.class, () -> ends.second().receive());
            close(ends);
        }
    }

    @Test
    void theLossOfTheLastLaneEndsTheStream() throws Exception {
        try (var first = new Proxy();
                var second = new Proxy()) {
            StreamEnds ends = ends(first, second);
            for (Proxy lane : new Proxy[] {first, second}) {
                lane.inner.close();
                lane.outer.close();
            }
            var cut = assertThrows(StreamException.class, () -> ends.second().receive());
            assertEquals(StreamException.Cause.CUT, cut.kind());
            assertFalse(((LaneStream) ends.second()).isOpen());
            close(ends);
        }
    }

    /** A stream whose peer says what it likes on its only lane. */
    private void lie(int kind, byte[] prefix, int length) throws Exception {
        try (var lane = new Proxy()) {
            StreamEnds raw = StreamEnds.rawLane(lane.dialed, lane.accepted, timer);
            ((RecordStream) raw.second()).sendLane(kind, 0, 0, 0, prefix, new byte[length], length);
            var ended = assertThrows(StreamException.class, () -> raw.first().receive());
            assertEquals(StreamException.Cause.FORGED, ended.kind(), ended.getMessage());
            close(raw);
        }
    }

    private static byte[] prefix(long sequence, long taken, long arrived) {
        byte[] prefix = LanePrefix.create();
        LanePrefix.write(prefix, sequence, taken, arrived);
        return prefix;
    }

    @Test
    void aPeerThatLiesEndsTheStream() throws Exception {
        lie(RecordHeader.ACKNOWLEDGEMENT, prefix(-1, 0, 1), 0); // nothing was sent
        lie(RecordHeader.ACKNOWLEDGEMENT, prefix(-1, 1, 0), 0);
        lie(RecordHeader.ACKNOWLEDGEMENT, prefix(-1, -1, 0), 0);
        lie(RecordHeader.ACKNOWLEDGEMENT, prefix(-1, 0, -1), 0);
        lie(RecordHeader.ACKNOWLEDGEMENT, prefix(-1, 0, 0), 1);
        lie(KIND, prefix(LaneLimits.WINDOW_RECORDS, 0, 0), 1); // beyond the window
        lie(KIND, prefix(Long.MAX_VALUE, 0, 0), 1);
        lie(KIND, prefix(-5, 0, 0), 1);
        lie(RecordHeader.END, prefix(LaneLimits.PLACES, 0, 0), 0);
        lie(RecordHeader.END, prefix(0, 0, 0), 1);
        lie(RecordHeader.OPEN, prefix(0, 0, 0), 0);
        lie(KIND, new byte[7], 0); // shorter than a prefix
    }
}
