package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.core.ReduceOp;
import io.hearth.standin.MetalStandIn;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Plain sums among all pairs whose owners gather pieces for a GPU: number of submissions, kind of memory, and the same bits as on
 * the CPU.
 */
@Tag("full")
final class GatheredSumsTest {
    /** Shares of three are 16 segments, of four 12, each with 125,000 bytes at least. */
    private static final int COUNT = 1_500_001;

    /** Three such segments: five pieces of a share of three, four of one of four. */
    private static final long PIECE_BYTES = 256 * 1024;

    private static final MetalLimits LIMITS =
            new MetalLimits(1, 4 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));

    private static Optional<MetalStandIn> built = Optional.empty();

    @BeforeAll
    static void build() throws Exception {
        built = MetalStandIn.forTests();
    }

    @AfterAll
    static void forget() {
        built = Optional.empty();
    }

    @BeforeEach
    void reset() {
        assumeTrue(built.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        standIn().reset();
        standIn().set(MetalStandIn.Manner.FLUSH);
    }

    private static MetalStandIn standIn() {
        return built.orElseThrow();
    }

    /** An engine for each rank, as in separate processes. With one engine, the CPU would do calls that come while the GPU is busy. */
    private record Gpus(List<MetalEngine> engines) implements AutoCloseable {
        static Gpus open(int world, MetalLimits limits) {
            return new Gpus(IntStream.range(0, world)
                    .mapToObj(_ ->
                            MetalEngine.open(MetalLibraries.single(standIn().library()), limits))
                    .toList());
        }

        Reducer reducer(int rank, long fromBytes) {
            return Engines.reducerOn(engines.get(rank), EngineChoice.from(Engine.PORTABLE, fromBytes));
        }

        long sum(ToLongFunction<MetalEngine> figure) {
            return engines.stream().mapToLong(figure).sum();
        }

        long faults(MetalFault fault) {
            return sum(metal -> metal.status().faults().getOrDefault(fault, 0L));
        }

        @Override
        public void close() {
            engines.forEach(MetalEngine::close);
        }
    }

    @ParameterizedTest
    @CsvSource({"3, SUM, 15", "4, SUM, 16", "3, AVG, 15", "4, MAX, 16"})
    void eachPieceIsOneCallOnMemoryOfItsOwn(int world, ReduceOp op, long submissions) throws Exception {
        float[][] expected = sums(world, op, rank -> Engines.newReducer(Engine.PORTABLE));
        long live = standIn().get("live");
        try (Gpus metal = Gpus.open(world, LIMITS)) {
            float[][] got = sums(world, op, rank -> metal.reducer(rank, PIECE_BYTES));
            assertSame(expected, got);
            assertEquals(submissions, standIn().get("commits"));
            assertEquals(submissions, metal.sum(gpu -> gpu.status().callsOnGpu()));
            assertEquals(0, metal.sum(gpu -> gpu.status().callsOnCpu()));
            assertEquals(0, metal.sum(MetalEngine::bytesStaged), "the GPU reads where the bytes came in");
        }
        assertEquals(live, standIn().get("live"), "all memory was given back");
        assertEquals("", standIn().violations());
    }

    /** All ranks wait for an owner that gathers more, including ranks that gather nothing. */
    @Test
    void membersWithDifferentEnginesGetTheSameSum() throws Exception {
        float[][] expected = sums(4, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        try (Gpus metal = Gpus.open(4, LIMITS)) {
            float[][] got = sums(4, ReduceOp.SUM, rank -> switch (rank) {
                case 0 -> metal.reducer(rank, 2 * PIECE_BYTES);
                case 1 -> Engines.newReducer(Engine.PORTABLE);
                case 2 -> metal.reducer(rank, 100_000);
                default -> metal.reducer(rank, 5 * PIECE_BYTES);
            });
            assertSame(expected, got);
            assertEquals(2 + 12 + 1, standIn().get("commits"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "9"})
    void whatTheGpuLeavesUndoneTheCpuDoes(int failing) throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        standIn().set("command_fails", failing);
        standIn().set("error_code", 3);
        try (Gpus metal = Gpus.open(3, LIMITS)) {
            float[][] got = sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, PIECE_BYTES));
            assertSame(expected, got);
            assertTrue(standIn().get("commits") >= failing);
            assertEquals(
                    standIn().get("commits") - 1, metal.sum(gpu -> gpu.status().callsOnGpu()));
            assertEquals(1, metal.faults(MetalFault.COMMAND));
        }
        assertEquals("", standIn().violations());
    }

    /** A failed GPU gets no more requests for memory or sums, and its memory is not reused. */
    @Test
    void aHangIsOneFaultAndNoWrongByte() throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        standIn().set("hanging", 1);
        standIn().set("hang", 3);
        var shortTimeout = new MetalLimits(1, 4 << 20, Duration.ofMillis(200), Duration.ofSeconds(60));
        try (Gpus metal = Gpus.open(3, shortTimeout)) {
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, PIECE_BYTES)));
            long commits = standIn().get("commits");
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, PIECE_BYTES)));
            assertEquals(3, metal.faults(MetalFault.HANG), "one for each rank");
            assertEquals(commits, standIn().get("commits"), "no request was made again");
        } finally {
            standIn().set("hanging", 0);
        }
    }

    /** Without memory that the GPU reads in place, gathering would cost more copies than it saves. */
    @Test
    void withoutRoomForPiecesSegmentsAreAddedAsTheyCome() throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        try (Gpus metal = Gpus.open(3, LIMITS.sharing(2 * PIECE_BYTES))) {
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, PIECE_BYTES)));
            assertEquals(0, standIn().get("commits"));
            assertEquals(0, metal.sum(gpu -> gpu.status().faults().size()));
        }
    }

    @Test
    void sharesSmallerThanAPieceAreAddedAsTheyCome() throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        try (Gpus metal = Gpus.open(3, LIMITS)) {
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, 8 * PIECE_BYTES)));
            assertEquals(0, standIn().get("commits"));
        }
    }

    @Test
    void aReduceScatterGathersToo() throws Exception {
        CollectiveConfig even = CollectiveConfig.DEFAULTS;
        var options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .with(new CollectiveConfig(
                        even.allReduce(),
                        even.broadcast(),
                        even.reduce(),
                        even.segmentBytes(),
                        even.inTurnBytesMax(),
                        even.inPlaceBytesMin(),
                        even.bucketBytes(),
                        new LinkModel(60_000, 8.46, 0.025, 7_500, 1, 60_000)));
        Ask scatter = (context, values) -> context.reduceScatter(values, ReduceOp.SUM);
        float[][] expected = run(3, options, rank -> Engines.newReducer(Engine.PORTABLE), scatter);
        try (Gpus metal = Gpus.open(3, LIMITS)) {
            assertSame(expected, run(3, options, rank -> metal.reducer(rank, PIECE_BYTES), scatter));
            assertEquals(15, standIn().get("commits"));
            assertEquals(0, metal.sum(MetalEngine::bytesStaged));
        }
    }

    private static void assertSame(float[][] expected, float[][] got) {
        for (int rank = 0; rank < expected.length; rank++) {
            assertArrayEquals(expected[rank], got[rank], "rank " + rank);
        }
    }

    private interface Ask {
        void run(DistributedContext context, float[] values) throws Exception;
    }

    private static float[][] sums(int world, ReduceOp op, IntFunction<Reducer> reducers) throws Exception {
        EngineOptions options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .with(CollectiveConfig.DEFAULTS.by(AllReduceStrategy.DIRECT));
        return run(world, options, reducers, (context, values) -> context.allReduce(values, op));
    }

    private static float[][] run(int world, EngineOptions options, IntFunction<Reducer> reducers, Ask ask)
            throws Exception {
        float[][] results = new float[world][];
        try (var group = new TestGroup(world, options, List.of(), reducers)) {
            group.start((rank, context) -> {
                        float[] values = gradient(rank);
                        ask.run(context, values);
                        results[rank] = values;
                    })
                    .joinWell();
        }
        return results;
    }

    /** Mostly ordinary values, some subnormal ones, which a GPU takes as zero. */
    private static float[] gradient(int rank) {
        var random = new SplittableRandom(rank);
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = i % 500 < 130
                    ? Float.intBitsToFloat(random.nextInt() & 0x800f_ffff)
                    : (float) (random.nextDouble() - 0.5);
        }
        return values;
    }
}
