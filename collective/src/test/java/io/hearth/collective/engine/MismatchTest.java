package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedBackend;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.Ownership;
import io.hearth.collective.ReduceStrategy;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveMismatchException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One rank makes another call than the rest: all ranks get the error at once, and the group continues. */
final class MismatchTest {
    private static final CollectiveOptions SOON = CollectiveOptions.DEFAULTS.within(Duration.ofSeconds(20));
    private static final DataType FLOATS = DataType.FLOAT32;
    private static final int LARGE_BYTES = 2 * 1024 * 1024;
    private static final int OTHER_GROUPS_STRIDE = 5;
    private static final int STRIDE = Boolean.getBoolean("hearth.full") ? 1 : 4; // between the pairs that are tried

    /** A buffer that is too small is unknown to other ranks, so this fails even if all ranks make the same call. */
    private static final String TOO_SMALL = "gather of all into a buffer for less";

    private interface Ask {
        void make(DistributedBackend backend, MemorySegment buffer) throws CollectiveException;
    }

    private static Map<String, Ask> asks() {
        var asks = new LinkedHashMap<String, Ask>();
        for (int count : new int[] {0, 1, 100, 101, 5000}) {
            asks.put("all-reduce of " + count, (backend, buffer) -> {
                backend.allReduce(buffer.asSlice(0, 4L * count), FLOATS, ReduceOp.SUM, SOON);
            });
        }
        for (AllReduceStrategy way : AllReduceStrategy.values()) {
            asks.put("all-reduce by " + way, (backend, buffer) -> {
                backend.allReduce(buffer.asSlice(0, 800), FLOATS, ReduceOp.SUM, SOON.by(way));
            });
        }
        for (String compression : List.of("int8", "int8:32", "fp16", "topk:0.1", "dgc:0.1", "powersgd")) {
            var strategy = CompressionStrategy.parse(compression);
            asks.put("as " + compression, (backend, buffer) -> {
                backend.allReduce(buffer.asSlice(0, 400), FLOATS, ReduceOp.SUM, SOON.as(strategy));
            });
        }
        asks.put("as int8 round the ring", (backend, buffer) -> {
            var how = SOON.as(new CompressionStrategy.Int8(64)).by(AllReduceStrategy.RING);
            backend.allReduce(buffer.asSlice(0, 400), FLOATS, ReduceOp.SUM, how);
        });
        asks.put("max", (backend, buffer) -> {
            backend.allReduce(buffer.asSlice(0, 400), FLOATS, ReduceOp.MAX, SOON);
        });
        asks.put("ints", (backend, buffer) -> {
            backend.allReduce(buffer.asSlice(0, 400), DataType.INT32, ReduceOp.SUM, SOON);
        });
        asks.put("all-reduce of 0 bytes", (backend, buffer) -> {
            backend.allReduce(buffer.asSlice(0, 0), DataType.UINT8, ReduceOp.SUM, SOON);
        });
        for (List<Integer> lengths : List.of(List.<Integer>of(), List.of(100), List.of(40, 60), List.of(60, 40))) {
            asks.put("list of " + lengths, (backend, buffer) -> {
                var tensors = new ArrayList<MemorySegment>();
                long at = 0;
                for (int length : lengths) {
                    tensors.add(buffer.asSlice(at, 4L * length));
                    at += 4L * length;
                }
                backend.allReduce(tensors, FLOATS, ReduceOp.SUM, SOON);
            });
        }
        for (Ownership owners : List.of(Ownership.EQUAL, Ownership.weighted(2, 1), Ownership.weighted(1, 1, 0))) {
            asks.put("all-reduce by " + owners, (backend, buffer) -> {
                backend.allReduce(buffer.asSlice(0, 24_000), FLOATS, ReduceOp.SUM, SOON.by(owners));
            });
        }
        asks.put("barrier", (backend, _) -> backend.barrier(SOON));
        asks.put("step", (backend, _) -> backend.beginStep(SOON));
        asks.put("reduce-scatter", (backend, buffer) -> {
            backend.reduceScatter(buffer.asSlice(0, 400), FLOATS, ReduceOp.SUM, SOON);
        });
        asks.put("all-gather", (backend, buffer) -> {
            backend.allGather(buffer.asSlice(0, 400), buffer.asSlice(400), FLOATS, SOON);
        });
        for (int root : new int[] {0, 1}) {
            asks.put("reduce to " + root, (backend, buffer) -> {
                backend.reduce(buffer.asSlice(0, 400), FLOATS, ReduceOp.SUM, root, SOON);
            });
            asks.put("gather to " + root, (backend, buffer) -> {
                backend.gather(buffer.asSlice(0, 400), buffer.asSlice(400), FLOATS, root, SOON);
            });
            asks.put("scatter from " + root, (backend, buffer) -> {
                backend.scatter(buffer.asSlice(400), buffer.asSlice(0, 400), FLOATS, root, SOON);
            });
            asks.put("broadcast from " + root, (backend, buffer) -> {
                backend.broadcast(buffer.asSlice(0, 400), FLOATS, root, SOON);
            });
        }
        asks.put("broadcast by ring", (backend, buffer) -> {
            backend.broadcast(buffer.asSlice(0, 400), FLOATS, 1, SOON.by(BroadcastStrategy.RING));
        });
        asks.put("reduce by ring", (backend, buffer) -> {
            backend.reduce(buffer.asSlice(0, 400), FLOATS, ReduceOp.SUM, 1, SOON.by(ReduceStrategy.RING));
        });
        asks.put("broadcast of 8000 bytes", (backend, buffer) -> {
            backend.broadcast(buffer.asSlice(0, 8000), DataType.UINT8, 1, SOON);
        });
        asks.put(TOO_SMALL, (backend, buffer) -> {
            backend.gather(buffer.asSlice(0, 480), buffer.asSlice(480, 400), FLOATS, 0, SOON);
        });
        return asks;
    }

    @ParameterizedTest(name = "world {0}, {1} bytes in turn")
    @CsvSource("3, 0")
    void everyPairOfDifferentCallsFailsOnAllRanksAndTheNextCallWorks(int world, int inTurn) throws Exception {
        tryPairs(world, inTurn, STRIDE);
    }

    private static void tryPairs(int world, int inTurn, int stride) throws Exception {
        var config = CollectiveConfig.DEFAULTS.cut(256, inTurn);
        var order = new ArrayList<>(CollectiveEngineTest.ranks(world));
        Collections.reverse(order);
        Map<String, Ask> asks = asks();
        try (var group = new TestGroup(world, EngineOptions.DEFAULTS.with(config), order)) {
            group.start((rank, _) -> {
                        DistributedBackend backend = group.engine(rank);
                        var random = new SplittableRandom(world);
                        int pair = 0;
                        for (String one : asks.keySet()) {
                            for (String other : asks.keySet()) {
                                int odd = random.nextInt(world);
                                boolean differ = !one.equals(other) || one.equals(TOO_SMALL);
                                if (differ && pair++ % stride == 0) {
                                    String what = "rank " + odd + " asks for " + one + ", the rest for " + other;
                                    fails(backend, rank == odd ? asks.get(one) : asks.get(other), what);
                                    succeeds(backend, rank, world, what);
                                }
                            }
                        }
                    })
                    .joinWell();
        }
    }

    /** The hop order is not that of ranks, and two ranks are on one machine. */
    @ParameterizedTest(name = "in place from {0} bytes")
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void sumsByIslandsAmongOtherCallsFailOnAllRanks(long inPlaceBytesMin) throws Exception {
        var config = CollectiveConfig.DEFAULTS.cut(256, 0).inPlaceFrom(inPlaceBytesMin);
        Ask byIslands = (backend, buffer) -> backend.allReduce(
                buffer.asSlice(0, 24_000), FLOATS, ReduceOp.SUM, SOON.by(AllReduceStrategy.HIERARCHICAL));
        Map<String, Ask> asks = asks();
        asks.remove(TOO_SMALL);
        try (var group = new TestGroup(TestGroup.nodes(3, 2), EngineOptions.DEFAULTS.with(config), List.of(2, 1, 0))) {
            group.start((rank, _) -> {
                        for (Map.Entry<String, Ask> other : asks.entrySet()) {
                            for (int odd = 0; odd < 3; odd++) {
                                String what = "rank " + odd + " asks for islands, the rest for " + other.getKey();
                                fails(group.engine(rank), rank == odd ? byIslands : other.getValue(), what);
                                succeeds(group.engine(rank), rank, 3, what);
                            }
                        }
                    })
                    .joinWell();
        }
    }

    @Tag("full")
    @ParameterizedTest(name = "world {0}, {1} bytes in turn")
    @CsvSource({"2, 4096", "4, 4096", "5, 0"})
    void pairsFailInOtherGroupsToo(int world, int inTurn) throws Exception {
        tryPairs(world, inTurn, OTHER_GROUPS_STRIDE);
    }

    /** Calls in which each rank sends each other one several records, far more than streams take unread. */
    private static Map<String, Ask> largeAsks() {
        var asks = new LinkedHashMap<String, Ask>();
        long bytes = LARGE_BYTES / 8;
        for (ReduceOp op : List.of(ReduceOp.SUM, ReduceOp.MAX)) {
            for (AllReduceStrategy way : AllReduceStrategy.values()) {
                asks.put(op + " by " + way, (backend, buffer) -> {
                    backend.allReduce(buffer.asSlice(0, bytes), FLOATS, op, SOON.by(way));
                });
            }
        }
        asks.put("as int8", (backend, buffer) -> {
            var int8 = SOON.as(CompressionStrategy.parse("int8"));
            backend.allReduce(buffer.asSlice(0, bytes), FLOATS, ReduceOp.SUM, int8);
        });
        asks.put("reduce-scatter", (backend, buffer) -> {
            backend.reduceScatter(buffer.asSlice(0, bytes), FLOATS, ReduceOp.SUM, SOON);
        });
        asks.put("all-gather", (backend, buffer) -> {
            backend.allGather(buffer.asSlice(0, bytes), buffer.asSlice(0, bytes * backend.worldSize()), FLOATS, SOON);
        });
        asks.put("broadcast", (backend, buffer) -> backend.broadcast(buffer.asSlice(0, bytes), FLOATS, 0, SOON));
        asks.put("barrier", (backend, _) -> backend.barrier(SOON));
        return asks;
    }

    /** All ranks are blocked in sending when they see the mismatch. */
    @Test
    void largeCallsThatDifferFailOnAllThreeRanksThoughNoStreamTakesMuch() throws Exception {
        largeCallsThatDifferFailOnAllRanksThoughNoStreamTakesMuch(3);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void largeCallsThatDifferFailOnAllRanksThoughNoStreamTakesMuch(int world) throws Exception {
        var config = CollectiveConfig.DEFAULTS.cut(8 * 1024, 4096);
        Map<String, Ask> asks = largeAsks();
        try (var group = new TestGroup(world, EngineOptions.DEFAULTS.with(config))) {
            group.fabric.slow(8 * 1024);
            group.start((rank, _) -> {
                        DistributedBackend backend = group.engine(rank);
                        var random = new SplittableRandom(world);
                        byte[] buffer = new byte[LARGE_BYTES];
                        for (String one : asks.keySet()) {
                            for (String other : asks.keySet()) {
                                int odd = random.nextInt(world);
                                if (!one.equals(other)) {
                                    String what = "rank " + odd + " asks for " + one + ", the rest for " + other;
                                    Ask ask = rank == odd ? asks.get(one) : asks.get(other);
                                    assertThrows(
                                            CollectiveMismatchException.class,
                                            () -> ask.make(backend, MemorySegment.ofArray(buffer)),
                                            what);
                                    succeeds(backend, rank, world, what);
                                }
                            }
                        }
                        assertArrayEquals(new byte[LARGE_BYTES], buffer, "as it was");
                    })
                    .joinWell();
        }
    }

    /** A sender sees the mismatch itself, in the middle of its records. */
    @ParameterizedTest
    @CsvSource({"2, RING", "2, DIRECT", "4, RING", "4, DIRECT", "5, RING", "5, DIRECT"})
    void valuesThatCannotTravelEndALargeCallOnAllRanksThoughNoStreamTakesMuch(int world, AllReduceStrategy way)
            throws Exception {
        var how = SOON.as(CompressionStrategy.parse("int8")).by(way);
        try (var group =
                new TestGroup(world, EngineOptions.DEFAULTS.with(CollectiveConfig.DEFAULTS.cut(4 * 1024, 0)))) {
            group.fabric.slow(2 * 1024);
            group.start((rank, _) -> {
                        for (int at = 0; at < 8; at++) {
                            float[] values = new float[LARGE_BYTES / 16];
                            values[values.length * at / 8] = rank == 1 ? Float.NaN : 1;
                            String what = "NaN at " + at;
                            var error = assertThrows(
                                    CollectiveException.class,
                                    () -> group.engine(rank)
                                            .allReduce(MemorySegment.ofArray(values), FLOATS, ReduceOp.SUM, how),
                                    what);
                            assertTrue(
                                    String.valueOf(error.getMessage()).startsWith("rank 1 "),
                                    () -> what + ": " + error.getMessage());
                            succeeds(group.engine(rank), rank, world, what);
                        }
                    })
                    .joinWell();
        }
    }

    private static void fails(DistributedBackend backend, Ask ask, String what) {
        byte[] before = new byte[32_000];
        Arrays.fill(before, (byte) 1);
        byte[] bytes = before.clone();
        assertThrows(CollectiveMismatchException.class, () -> ask.make(backend, MemorySegment.ofArray(bytes)), what);
        assertArrayEquals(before, bytes, () -> what + ": the buffer is as it was");
    }

    private static void succeeds(DistributedBackend backend, int rank, int world, String what)
            throws CollectiveException {
        float[] values = CollectiveEngineTest.input(rank, 10);
        backend.allReduce(MemorySegment.ofArray(values), FLOATS, ReduceOp.SUM, SOON);
        assertArrayEquals(
                CollectiveEngineTest.sum(CollectiveEngineTest.ranks(world), 10), values, () -> "after " + what);
    }
}
