package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.channels.Channel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of every kind of data stream. */
@SuppressWarnings("NullAway.Init") // JUnit calls openStream() first
public abstract class DataStreamContractTest {
    private static final int KIND = RecordHeader.USER_MIN;
    private static final long SEED = Long.getLong("hearth.seed", 6);
    private static final byte[] NOTHING = {};

    private static final int RECORDS = 3_000;

    @TempDir
    public Path folder = Path.of("");

    public final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private StreamEnds ends;

    /** Two ends of a new stream. */
    protected abstract StreamEnds open() throws IOException;

    /** Bytes that one record may allocate on the heap of the thread that sends or receives it. */
    protected abstract long allocatedMax();

    @BeforeEach
    void openStream() throws IOException {
        ends = open();
    }

    @AfterEach
    void close() throws InterruptedException {
        ends.first().close();
        ends.second().close();
        threads.shutdownNow();
        timer.shutdownNow();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
    }

    private static byte[] bytes(SplittableRandom random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void send(DataStream to, int chunk, byte[] prefix, byte[] bytes) throws IOException {
        to.send(
                KIND + chunk % 200,
                chunk,
                -chunk,
                1L << 40 | chunk,
                MemorySegment.ofArray(prefix),
                MemorySegment.ofArray(bytes),
                0,
                bytes.length);
    }

    private static StreamException.Cause cause(Callable<?> call) {
        return assertThrows(StreamException.class, call::call).kind();
    }

    private static StreamException.Cause cause(Future<?> future) {
        Throwable thrown = assertThrows(ExecutionException.class, future::get).getCause();
        return assertInstanceOf(StreamException.class, thrown).kind();
    }

    @Test
    void recordsOfEverySizeArriveInOrderWithTheirPrefix() throws Exception {
        var random = new SplittableRandom(SEED);
        List<byte[][]> sent = new ArrayList<>();
        int[] sizes = {0, 1, 7, 63, 64, 65, 4095, 65_537, RecordHeader.SEGMENT_BYTES_MAX};
        int[] prefixes = {0, 1, 28, 512};
        for (int prefix : prefixes) {
            for (int size : sizes) {
                sent.add(new byte[][] {bytes(random, prefix), bytes(random, size)});
            }
        }
        Future<?> sender = threads.submit(() -> {
            for (int i = 0; i < sent.size(); i++) {
                send(ends.first(), i, sent.get(i)[0], sent.get(i)[1]);
            }
            return null;
        });
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(RecordHeader.RECORD_BYTES_MAX + 1L);
            for (int i = 0; i < sent.size(); i++) {
                ReceivedRecord record = ends.second().receive();
                int length = sent.get(i)[0].length + sent.get(i)[1].length;
                assertEquals(new RecordHeader(length, KIND + i % 200, i, -i, 1L << 40 | i), record.header());
                byte[] whole = new byte[length];
                System.arraycopy(sent.get(i)[0], 0, whole, 0, sent.get(i)[0].length);
                System.arraycopy(sent.get(i)[1], 0, whole, sent.get(i)[0].length, sent.get(i)[1].length);
                assertArrayEquals(whole, record.toBytes(), "record " + i + ", seed " + SEED);
                record.copyTo(target, 1);
                assertEquals(-1, target.asSlice(1, length).mismatch(MemorySegment.ofArray(whole)));
            }
        }
        sender.get();
    }

    @Test
    void aPartOfASegmentIsSentFromTheHeapAndFromNativeMemory() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment nativeBytes = arena.allocate(64);
            MemorySegment heapBytes = MemorySegment.ofArray(new byte[64]);
            for (MemorySegment bytes : List.of(nativeBytes, heapBytes)) {
                for (int i = 0; i < 64; i++) {
                    bytes.set(ValueLayout.JAVA_BYTE, i, (byte) i);
                }
                ends.first().send(KIND, 0, 0, 0, nativeBytes.asSlice(0, 2), bytes, 30, 3);
                assertArrayEquals(new byte[] {0, 1, 30, 31, 32}, receiveBytes(ends.second()));
            }
        }
    }

    private static byte[] receiveBytes(DataStream from) throws IOException {
        return from.receive().toBytes();
    }

    @Test
    void whatIsNoRecordIsRefusedBeforeAnythingIsSent() throws Exception {
        MemorySegment bytes = MemorySegment.ofArray(new byte[RecordHeader.RECORD_BYTES_MAX + 1]);
        DataStream stream = ends.first();
        assertThrows(
                IllegalArgumentException.class,
                () -> stream.send(KIND, 0, 0, 0, MemorySegment.NULL, bytes, 0, RecordHeader.RECORD_BYTES_MAX + 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> stream.send(KIND, 0, 0, 0, bytes.asSlice(0, 1), bytes, 0, RecordHeader.RECORD_BYTES_MAX));
        assertThrows(
                IllegalArgumentException.class,
                () -> stream.send(RecordHeader.END, 0, 0, 0, MemorySegment.NULL, bytes, 0, 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> stream.send(KIND, 1 << 16, 0, 0, MemorySegment.NULL, bytes, 0, 0));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> stream.send(KIND, 0, 0, 0, MemorySegment.NULL, bytes, bytes.byteSize() - 1, 2));
        assertThrows(
                IndexOutOfBoundsException.class, () -> stream.send(KIND, 0, 0, 0, MemorySegment.NULL, bytes, 0, -1));
        assertEquals(0, stream.bytesSent());
        send(stream, 5, NOTHING, NOTHING);
        assertEquals(5, ends.second().receive().chunk());
    }

    @Test
    void bothDirectionsAreUsedAtOnce() throws Exception {
        var random = new SplittableRandom(SEED);
        byte[] bytes = bytes(random, RecordHeader.SEGMENT_BYTES_MAX);
        List<Future<?>> all = new ArrayList<>();
        for (DataStream[] way : new DataStream[][] {{ends.first(), ends.second()}, {ends.second(), ends.first()}}) {
            SplittableRandom same = new SplittableRandom(17);
            SplittableRandom again = new SplittableRandom(17);
            all.add(threads.submit(() -> {
                for (int i = 0; i < RECORDS; i++) {
                    way[0].send(KIND, 0, i, 0, MemorySegment.NULL, MemorySegment.ofArray(bytes), 0, size(same, bytes));
                }
                return null;
            }));
            all.add(threads.submit(() -> {
                for (int i = 0; i < RECORDS; i++) {
                    ReceivedRecord record = way[1].receive();
                    assertEquals(i, record.collective());
                    assertEquals(size(again, bytes), record.length());
                    int length = record.length();
                    assertEquals(
                            -1,
                            MemorySegment.mismatch(
                                    MemorySegment.ofArray(record.toBytes()),
                                    0,
                                    length,
                                    MemorySegment.ofArray(bytes),
                                    0,
                                    length));
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
    }

    private static int size(SplittableRandom random, byte[] bytes) {
        return random.nextInt(4) == 0 ? random.nextInt(bytes.length) : random.nextInt(2_000);
    }

    @Test
    void eachWaitsForTheOtherInTurn() throws Exception {
        Future<?> echo = threads.submit(() -> {
            for (int i = 0; i < RECORDS; i++) {
                int chunk = ends.second().receive().chunk();
                send(ends.second(), chunk, NOTHING, NOTHING);
            }
            return null;
        });
        for (int i = 0; i < RECORDS; i++) {
            send(ends.first(), i, NOTHING, NOTHING);
            assertEquals(i, ends.first().receive().chunk());
        }
        echo.get();
    }

    @Test
    void aSmallRecordFitsEachWayWhileALargeOneIsShown() throws Exception {
        byte[] large = new byte[RecordHeader.RECORD_BYTES_MAX];
        byte[] small = new byte[32 * 1024];
        for (int round = 0; round < 10; round++) {
            send(ends.first(), 1, NOTHING, large);
            ends.second().receive();
            send(ends.first(), 2, NOTHING, large); // while the other record is borrowed
            send(ends.first(), 3, NOTHING, small);
            send(ends.second(), 4, NOTHING, small);
            assertEquals(4, ends.first().receive().chunk());
            assertEquals(2, ends.second().receive().chunk());
            assertEquals(3, ends.second().receive().chunk());
        }
    }

    @Test
    void anOrderlyEndComesBehindAllRecords() throws Exception {
        send(ends.first(), 1, NOTHING, new byte[3]);
        send(ends.first(), 2, NOTHING, new byte[3]);
        ends.first().close();
        ends.first().close();
        assertEquals(1, ends.second().receive().chunk());
        assertEquals(2, ends.second().receive().chunk());
        assertThrows(EOFException.class, () -> ends.second().receive());
        assertThrows(EOFException.class, () -> ends.second().receive());
        assertEquals(StreamException.Cause.CLOSED, cause(() -> {
            send(ends.first(), 3, NOTHING, NOTHING);
            return null;
        }));
        assertEquals(StreamException.Cause.CLOSED, cause(() -> ends.first().receive()));
    }

    @Test
    void aLookSeesWhatReceivingWouldFindAndTakesNothing() throws Exception {
        boolean sees = ends.second().isInMemory();
        assertFalse(ends.second().comesSoon());
        send(ends.first(), 1, NOTHING, new byte[3]);
        send(ends.first(), 2, NOTHING, new byte[3]);
        for (int chunk = 1; chunk <= 2; chunk++) {
            assertEquals(sees, ends.second().comesSoon());
            assertEquals(sees, ends.second().comesSoon());
            assertEquals(chunk, ends.second().receive().chunk());
        }
        assertFalse(ends.second().comesSoon());
        ends.first().close();
        assertEquals(sees, ends.second().comesSoon());
        assertThrows(EOFException.class, () -> ends.second().receive());
        assertEquals(sees, ends.second().comesSoon());
        assertEquals(sees, ends.first().comesSoon());
        assertEquals(StreamException.Cause.CLOSED, cause(() -> ends.first().receive()));
    }

    @Test
    void aStreamInMemoryHasRoomUntilItWouldWait() throws Exception {
        int sent = 0;
        while (ends.first().hasRoom(RecordHeader.SEGMENT_BYTES_MAX)) {
            send(ends.first(), 1, NOTHING, new byte[RecordHeader.SEGMENT_BYTES_MAX]);
            sent++;
        }
        assertEquals(ends.first().isInMemory(), sent > 0);
        for (int i = 0; i < sent; i++) {
            ends.second().receive();
        }
        assertFalse(ends.second().comesSoon()); // gives the last record back
        assertEquals(sent > 0, ends.first().hasRoom(RecordHeader.SEGMENT_BYTES_MAX));
    }

    @Test
    void anOrderlyEndReachesWhoWaits() throws Exception {
        Future<?> receiver = threads.submit(() -> ends.second().receive());
        awaitBlocked(1);
        ends.first().close();
        assertInstanceOf(
                EOFException.class,
                assertThrows(ExecutionException.class, receiver::get).getCause());
    }

    @Test
    void closingEndsWhoeverWaitsInIt() throws Exception {
        Future<?> receiver = threads.submit(() -> ends.first().receive());
        Future<?> sender = threads.submit(() -> sendForEver(ends.first()));
        awaitBlocked(2);
        ends.first().close();
        assertEquals(StreamException.Cause.CLOSED, cause(receiver));
        assertEquals(StreamException.Cause.CLOSED, cause(sender));
    }

    private static Object sendForEver(DataStream stream) throws IOException {
        byte[] bytes = new byte[65_536];
        while (true) {
            send(stream, 1, NOTHING, bytes);
        }
    }

    /** Waits until {@code count} of the threads sleep in a system call or a similar wait, and can do no more. */
    private void awaitBlocked(int count) {
        TestNode.until("nothing moves", () -> {
            long before = ends.first().bytesSent() + ends.second().bytesSent();
            long startNanos = System.nanoTime();
            while (System.nanoTime() - startNanos < 20_000_000L * count) {
                Thread.onSpinWait();
            }
            return before == ends.first().bytesSent() + ends.second().bytesSent();
        });
    }

    @Test
    void abortingEndsBothEndsWithoutAnOrderlyEnd() throws Exception {
        Future<?> receiver = threads.submit(() -> ends.second().receive());
        awaitBlocked(1);
        ends.first().abort(StreamException.Cause.LINK_LOST, "its link ended");
        assertEquals(StreamException.Cause.CUT, cause(receiver));
        assertEquals(StreamException.Cause.LINK_LOST, cause(() -> ends.first().receive()));
    }

    @Test
    void thePeersCrashEndsWhoeverWaitsForIt() throws Exception {
        Future<?> receiver = threads.submit(() -> ends.second().receive());
        Future<?> sender = threads.submit(() -> sendForEver(ends.second()));
        awaitBlocked(2);
        for (Channel channel : ends.channels()) {
            channel.close(); // as the system does when a process is killed
        }
        assertEquals(StreamException.Cause.CUT, cause(receiver));
        assertEquals(StreamException.Cause.CUT, cause(sender));
    }

    @Test
    void whatCameBeforeACrashIsStillReceived() throws Exception {
        for (int i = 0; i < 10; i++) {
            send(ends.first(), i, NOTHING, new byte[100]);
        }
        for (Channel channel : ends.channels()) {
            channel.close();
        }
        for (int i = 0; i < 10; i++) {
            assertEquals(i, ends.second().receive().chunk());
        }
        assertEquals(StreamException.Cause.CUT, cause(() -> ends.second().receive()));
    }

    @Test
    void anInterruptEndsAWaitingReceiver() throws Exception {
        Future<?> receiver = threads.submit(() -> ends.first().receive());
        awaitBlocked(1);
        threads.shutdownNow();
        assertEquals(StreamException.Cause.CUT, cause(receiver));
    }

    @Test
    void sendingAndReceivingAllocateNextToNothing() throws Exception {
        var threadsBean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] bytes = new byte[4096];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        int warmUp = 20_000;
        int counted = 2_000;
        long before = 0;
        for (int i = 0; i < warmUp + counted; i++) {
            if (i == warmUp) {
                before = threadsBean.getCurrentThreadAllocatedBytes();
            }
            ends.first().send(KIND, 0, i, 0, MemorySegment.NULL, segment, 0, bytes.length);
            assertTrueWithoutAllocating(ends.second().receive().collective() == i);
        }
        long perRecord = (threadsBean.getCurrentThreadAllocatedBytes() - before) / counted;
        assertTrue(perRecord <= 2 * allocatedMax(), () -> perRecord + " bytes for a record that is sent and received");
    }

    private static void assertTrueWithoutAllocating(boolean what) {
        if (!what) {
            throw new AssertionError("another record came");
        }
    }
}
