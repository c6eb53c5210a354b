package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.CollectiveEngineTest;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract that every backend must fulfil. */
public abstract class DistributedBackendContractTest {
    /** A group of connected backends, by rank; each is closed by its test. */
    protected abstract List<? extends DistributedBackend> open(int world) throws Exception;

    private interface Work {
        void run(DistributedBackend backend) throws Exception;
    }

    private void onAll(int world, Work work) throws Exception {
        List<? extends DistributedBackend> backends = open(world);
        var failures = new Throwable[world];
        List<Thread> threads = IntStream.range(0, world)
                .mapToObj(rank -> Thread.ofPlatform().daemon(true).unstarted(() -> {
                    try {
                        work.run(backends.get(rank));
                    } catch (Throwable failure) {
                        failures[rank] = failure;
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(60_000);
            assertTrue(!thread.isAlive(), "hangs");
        }
        close(backends);
        for (Throwable failure : failures) {
            if (failure != null) {
                throw new AssertionError(failure);
            }
        }
    }

    /** Closes all backends at once: a backend may wait for the others when it closes. */
    public static void close(List<? extends DistributedBackend> backends) throws InterruptedException {
        List<Thread> threads = backends.stream()
                .map(backend -> Thread.ofPlatform().daemon(true).start(backend::close))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void ranksAreThoseOfTheGroup() throws Exception {
        List<? extends DistributedBackend> backends = open(3);
        for (int rank = 0; rank < 3; rank++) {
            assertEquals(rank, backends.get(rank).rank());
            assertEquals(3, backends.get(rank).worldSize());
            assertEquals(rank == 0, new DistributedContext(backends.get(rank)).isMaster());
        }
        close(backends);
    }

    @Test
    void allOperationsOfFloatsAreRight() throws Exception {
        onAll(3, backend -> {
            for (ReduceOp op : ReduceOp.values()) {
                float mine = backend.rank() + 2;
                float[] values = new float[1000];
                Arrays.fill(values, mine);
                new DistributedContext(backend).allReduce(values, op);
                float expected = switch (op) {
                    case SUM -> 9;
                    case AVG -> 3;
                    case MIN -> 2;
                    case MAX -> 4;
                    case PROD -> 24;
                };
                assertEquals(expected, values[0]);
                assertEquals(expected, values[999]);
            }
        });
    }

    @Test
    void nativeBuffersAndOtherTypesWorkInPlace() throws Exception {
        onAll(2, backend -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment values = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, 2, 3);
                backend.allReduce(values, DataType.INT64, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
                assertArrayEquals(new long[] {2, 4, 6}, values.toArray(ValueLayout.JAVA_LONG));
            }
        });
    }

    @Test
    void aBufferOfSomeSegmentsIsSummedAndBroadcast() throws Exception {
        onAll(3, backend -> {
            var context = new DistributedContext(backend);
            float[] values = new float[300_001];
            values[300_000] = backend.rank();
            context.allReduce(values, ReduceOp.SUM);
            assertEquals(3, values[300_000]);
            values[5] = backend.rank();
            context.broadcast(values, 2);
            assertEquals(2, values[5]);
            context.barrier();
            assertTrue(context.metricsSnapshot().wireBytes()
                    >= context.metricsSnapshot().denseBytes());
        });
    }

    @Test
    void differentSizesFailOnAllRanks() throws Exception {
        onAll(3, backend -> {
            float[] values = new float[10 + backend.rank()];
            assertThrows(
                    CollectiveMismatchException.class,
                    () -> new DistributedContext(backend).allReduce(values, ReduceOp.SUM));
            new DistributedContext(backend).barrier();
        });
    }

    @Test
    void mistakesOfTheCallerAreRefusedBeforeAnythingHappens() throws Exception {
        onAll(1, backend -> {
            var context = new DistributedContext(backend);
            assertThrows(IllegalArgumentException.class, () -> context.broadcast(new float[1], 1));
            assertThrows(IllegalArgumentException.class, () -> context.broadcast(new float[1], -1));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.allReduce(
                            Tensor.of(MemorySegment.ofArray(new byte[7]), DataType.FLOAT32), ReduceOp.SUM));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.allReduce(
                            Tensor.of(MemorySegment.ofArray(new float[2]).asReadOnly(), DataType.FLOAT32),
                            ReduceOp.SUM));
            float[] alone = {3};
            assertEquals(1, context.allReduce(alone, ReduceOp.AVG).contributors());
            assertEquals(3, alone[0]);
        });
    }

    @Test
    void whatIsSentArrivesInOrderWhateverItIs() throws Exception {
        onAll(3, backend -> {
            var context = new DistributedContext(backend);
            int rank = backend.rank();
            if (rank == 0) {
                context.send(new float[] {1, 2}, 2);
                context.send(Tensor.of(new double[] {3}), 2);
                context.send(Tensor.of(new int[0]), 2);
                context.send(Tensor.of(ByteBuffer.wrap(new byte[] {4}), DataType.UINT8), 2);
                try (Arena arena = Arena.ofConfined()) {
                    context.send(Tensor.of(arena.allocateFrom(ValueLayout.JAVA_LONG, 5, 6), DataType.INT64), 2);
                }
                context.send(CollectiveEngineTest.input(0, 300_001), 2);
            } else if (rank == 2) {
                float[] floats = new float[2];
                context.receive(floats, 0);
                assertArrayEquals(new float[] {1, 2}, floats);
                double[] doubles = new double[1];
                context.receive(Tensor.of(doubles), 0);
                assertEquals(3, doubles[0]);
                context.receive(Tensor.of(new int[0]), 0);
                byte[] bytes = new byte[3];
                context.receive(Tensor.of(ByteBuffer.wrap(bytes, 1, 1), DataType.UINT8), 0);
                assertArrayEquals(new byte[] {0, 4, 0}, bytes);
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment longs = arena.allocate(16, 8);
                    context.receive(Tensor.of(longs, DataType.INT64), 0);
                    assertArrayEquals(new long[] {5, 6}, longs.toArray(ValueLayout.JAVA_LONG));
                }
                float[] large = new float[300_001];
                context.receive(large, 0);
                assertArrayEquals(CollectiveEngineTest.input(0, 300_001), large);
            }
            context.barrier();
        });
    }

    @Test
    void allRanksSendRoundAndEachTypeTravels() throws Exception {
        onAll(2, backend -> {
            int other = 1 - backend.rank();
            for (DataType type : DataType.values()) {
                byte[] mine = new byte[8 * type.bytes()];
                Arrays.fill(mine, (byte) (backend.rank() + 1));
                byte[] theirs = new byte[mine.length];
                if (backend.rank() == 0) {
                    backend.send(MemorySegment.ofArray(mine), type, other, CollectiveOptions.DEFAULTS);
                    backend.receive(MemorySegment.ofArray(theirs), type, other, CollectiveOptions.DEFAULTS);
                } else {
                    backend.receive(MemorySegment.ofArray(theirs), type, other, CollectiveOptions.DEFAULTS);
                    backend.send(MemorySegment.ofArray(mine), type, other, CollectiveOptions.DEFAULTS);
                }
                assertEquals(other + 1, theirs[theirs.length - 1], type.name());
            }
        });
    }

    @Test
    void mistakesOfWhoSendsAreRefusedBeforeAnythingHappens() throws Exception {
        onAll(2, backend -> {
            var context = new DistributedContext(backend);
            int other = 1 - backend.rank();
            for (int rank : new int[] {-1, 2, backend.rank(), Integer.MIN_VALUE}) {
                assertThrows(IllegalArgumentException.class, () -> context.send(new float[1], rank));
                assertThrows(IllegalArgumentException.class, () -> context.receive(new float[1], rank));
            }
            MemorySegment readOnly = MemorySegment.ofArray(new float[2]).asReadOnly();
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.receive(Tensor.of(readOnly, DataType.FLOAT32), other));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> context.send(Tensor.of(MemorySegment.ofArray(new byte[7]), DataType.FLOAT32), other));
            Arena arena = Arena.ofConfined();
            MemorySegment freed = arena.allocate(8);
            arena.close();
            assertThrows(IllegalArgumentException.class, () -> context.send(Tensor.of(freed, DataType.INT64), other));
            assertThrows(
                    IllegalArgumentException.class, () -> context.receive(Tensor.of(freed, DataType.INT64), other));
            if (backend.rank() == 0) {
                context.send(Tensor.of(readOnly, DataType.FLOAT32), other);
            } else {
                context.receive(new float[2], other);
            }
            context.barrier();
        });
    }

    @Test
    void aClosedBackendSaysSo() throws Exception {
        List<? extends DistributedBackend> backends = open(1);
        backends.getFirst().close();
        backends.getFirst().close();
        CollectiveException error =
                assertThrows(CollectiveException.class, () -> new DistributedContext(backends.getFirst()).barrier());
        assertTrue(String.valueOf(error.getMessage()).contains("closed"), error.toString());
    }
}
