package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The engine on a stand-in without faults; the contract test of reducers checks the elements. */
final class MetalEngineTest {
    static final MetalLimits LIMITS = new MetalLimits(1, 1 << 16, Duration.ofSeconds(60), Duration.ofSeconds(60));
    private static final int COUNT = 1000;

    private FakeMetal fake;

    @BeforeEach
    void takeFake() {
        fake = FakeMetal.get();
    }

    @AfterEach
    void theRulesWereObeyed() {
        fake.assertObeyed();
    }

    private MetalEngine open() {
        return MetalEngine.open(fake.libraries(), LIMITS);
    }

    private static MetalLimits sharing(long bytes) {
        return new MetalLimits(1, LIMITS.pieceBytesMax(), bytes, LIMITS.submission(), LIMITS.opening());
    }

    private static MemorySegment ints(MemorySegment memory, int first) {
        for (int i = 0; i < memory.byteSize() / 4; i++) {
            memory.setAtIndex(ValueLayout.JAVA_INT, i, first + i);
        }
        return memory;
    }

    private static void sum(MetalEngine engine, MemorySegment target, MemorySegment left, MemorySegment right) {
        assertEquals(COUNT, engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, left, 0, right, 0, COUNT));
        for (int i = 0; i < COUNT; i++) {
            int expected = left.getAtIndex(ValueLayout.JAVA_INT, i) + right.getAtIndex(ValueLayout.JAVA_INT, i);
            assertEquals(expected, target.getAtIndex(ValueLayout.JAVA_INT, i));
        }
    }

    @Test
    void saysWhichGpuItHas() {
        try (MetalEngine engine = open()) {
            MetalStatus status = engine.status();
            assertTrue(status.usable());
            assertEquals("Stand-in GPU", status.device());
            assertEquals("opened", status.why());
        }
    }

    @Test
    void aGpuThatIsNotTheDefaultIsFoundInTheList() {
        fake.set("no_default_device", 1);
        long live = fake.get("live");
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined()) {
            assertTrue(engine.status().usable());
            sum(
                    engine,
                    arena.allocate(4 * COUNT),
                    ints(arena.allocate(4 * COUNT), 1),
                    ints(arena.allocate(4 * COUNT), 7));
        }
        assertEquals(live, fake.get("live"));
    }

    @Test
    void aCallIsOneSubmissionOfOneDispatch() {
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined()) {
            MemorySegment one = ints(arena.allocate(4 * COUNT), 1);
            sum(engine, arena.allocate(4 * COUNT), one, ints(arena.allocate(4 * COUNT), 7));
            assertEquals(1, fake.get("commits"));
            assertEquals(1, fake.get("dispatches"));
            assertEquals(1, engine.status().callsOnGpu());
        }
    }

    @Test
    void inputsInMetalMemoryAreReadWhereTheyAre() {
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined();
                MetalMemory left = engine.allocate(8 * COUNT).orElseThrow();
                MetalMemory right = engine.allocate(4 * COUNT + 2).orElseThrow()) {
            assertEquals(8 * COUNT, left.segment().byteSize());
            assertEquals(0, left.segment().address() % 16_384);
            MemorySegment target = arena.allocate(4 * COUNT);
            MemorySegment one = ints(left.segment().asSlice(12, 4 * COUNT), 3);
            MemorySegment other = ints(right.segment().asSlice(0, 4 * COUNT), 4);
            sum(engine, target, one, other);
            assertEquals(3, fake.get("buffers"), "the two given and one for the result");
            MemorySegment.copy(other, 0, right.segment(), 2, other.byteSize());
            MemorySegment all = right.segment();
            assertEquals(COUNT, engine.combine(DataType.INT32, ReduceOp.MAX, target, 0, one, 0, all, 2, COUNT));
            assertEquals(4 + COUNT - 1, target.getAtIndex(ValueLayout.JAVA_INT, COUNT - 1));
            assertTrue(fake.get("buffers") > 3, "an offset that Metal does not take needs a copy");
        }
    }

    @Test
    void closedMemoryIsGoneOnceAndForAll() {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), sharing(1L << 41))) {
            long live = fake.get("live");
            MetalMemory memory = engine.allocate(100).orElseThrow();
            assertEquals(live + 1, fake.get("live"));
            MemorySegment segment = memory.segment();
            memory.close();
            memory.close();
            assertEquals(live, fake.get("live"));
            assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
            assertThrows(IllegalArgumentException.class, () -> engine.allocate(0));
            assertTrue(engine.allocate(1L << 40).isEmpty());
            assertEquals(1, engine.status().faults().get(MetalFault.OUT_OF_MEMORY));
        }
    }

    @Test
    void onlySoMuchIsShared() {
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), sharing(1000))) {
            MetalMemory first = engine.allocate(600).orElseThrow();
            assertTrue(engine.allocate(401).isEmpty());
            MetalMemory second = engine.allocate(400).orElseThrow();
            first.close();
            first.close();
            assertTrue(engine.allocate(601).isEmpty(), "one that is closed twice counts once");
            engine.allocate(600).orElseThrow().close();
            second.close();
            assertTrue(engine.status().faults().isEmpty(), "no fault of the GPU");
        }
    }

    @Test
    void socketsReadAndWriteMetalMemory() throws IOException {
        try (MetalEngine engine = open();
                MetalMemory out = engine.allocate(4 * COUNT).orElseThrow();
                MetalMemory in = engine.allocate(4 * COUNT).orElseThrow();
                var server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var sender = SocketChannel.open(server.getLocalAddress());
                var receiver = server.accept()) {
            ByteBuffer sent = ints(out.segment(), 5).asByteBuffer();
            ByteBuffer received = in.segment().asByteBuffer();
            while (sent.hasRemaining()) {
                sender.write(sent); // 4 kB fit into the socket's buffer
            }
            while (received.hasRemaining()) {
                receiver.read(received);
            }
            assertEquals(-1, out.segment().mismatch(in.segment()));
        }
    }

    @Test
    void buffersGrowWithTheCallsAndAreUsedAgain() {
        long live = fake.get("live");
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(1 << 18);
            MemorySegment one = arena.allocate(1 << 18);
            MemorySegment other = arena.allocate(1 << 18);
            for (int count : new int[] {1, 1000, 3, 1 << 16, 1 << 16, 5}) {
                assertEquals(count, engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, one, 0, other, 0, count));
            }
            assertEquals(3 * 3, fake.get("buffers"));
        }
        assertEquals(live, fake.get("live"), "all objects were released");
    }

    @Test
    void aStatusThatFollowsItsSignalLateIsWaitedFor() throws InterruptedException {
        fake.set("late_status", 1);
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(4 * COUNT);
            MemorySegment one = ints(arena.allocate(4 * COUNT), 1);
            MemorySegment other = ints(arena.allocate(4 * COUNT), 2);
            var finisher = Thread.ofPlatform().start(() -> {
                while (fake.get("commits") == 0) {
                    Thread.onSpinWait();
                }
                fake.set("late_status", 0);
            });
            assertEquals(COUNT, engine.combine(DataType.INT32, ReduceOp.SUM, target, 0, one, 0, other, 0, COUNT));
            assertEquals(3, target.getAtIndex(ValueLayout.JAVA_INT, 0));
            finisher.join();
        }
    }

    @Test
    void typesAndSizesThatStayOnTheCpuAreNotTaken() {
        var limits = new MetalLimits(4096, 1 << 16, Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (MetalEngine engine = MetalEngine.open(fake.libraries(), limits)) {
            assertTrue(engine.takes(DataType.FLOAT32, 1024));
            assertFalse(engine.takes(DataType.FLOAT32, 1023));
            assertTrue(engine.takes(DataType.BFLOAT16, 2048));
            for (DataType type : new DataType[] {DataType.FLOAT64, DataType.INT64, DataType.INT8, DataType.UINT8}) {
                assertFalse(engine.takes(type, 1 << 20));
            }
        }
    }

    @Test
    void anInterruptedCallerGetsItsResultAndKeepsTheInterrupt() {
        try (MetalEngine engine = open();
                var arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(4 * COUNT);
            MemorySegment one = ints(arena.allocate(4 * COUNT), 1);
            MemorySegment other = ints(arena.allocate(4 * COUNT), 2);
            Thread.currentThread().interrupt();
            sum(engine, target, one, other);
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void aClosedEngineDoesNothingAndClosesOnce() {
        MetalEngine engine = open();
        engine.close();
        engine.close();
        try (var arena = Arena.ofConfined()) {
            MemorySegment any = arena.allocate(16);
            assertEquals(0, engine.combine(DataType.INT32, ReduceOp.SUM, any, 0, any, 0, any, 0, 4));
            assertTrue(engine.allocate(16).isEmpty());
        }
    }

    @Test
    void limitsAreChecked() {
        Duration second = Duration.ofSeconds(1);
        assertThrows(IllegalArgumentException.class, () -> new MetalLimits(0, 4, second, second));
        assertThrows(IllegalArgumentException.class, () -> new MetalLimits(1, 6, second, second));
        assertThrows(IllegalArgumentException.class, () -> new MetalLimits(1, 4, -1, second, second));
        assertThrows(IllegalArgumentException.class, () -> new MetalLimits(1, 4, Duration.ofNanos(1), second));
        assertThrows(IllegalArgumentException.class, () -> new MetalLimits(1, 4, second, Duration.ZERO));
    }
}
