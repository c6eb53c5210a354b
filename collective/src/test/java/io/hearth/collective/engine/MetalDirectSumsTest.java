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
import io.hearth.collective.EngineOptions;
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

/** Plain sums among all pairs whose owners combine each segment on a GPU: the same bits as on the CPU, also if the GPU fails. */
@Tag("full")
final class MetalDirectSumsTest {
    /** Shares of three are 16 segments, of four 12, each with 125,000 bytes at least. */
    private static final int COUNT = 1_500_001;

    private static final long SEGMENT_BYTES_MIN = 125_000;

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
    @CsvSource({"3, SUM, 96", "4, SUM, 144", "3, AVG, 96", "4, MAX, 144"})
    void eachContributionToASegmentIsOneCall(int world, ReduceOp op, long submissions) throws Exception {
        float[][] expected = sums(world, op, rank -> Engines.newReducer(Engine.PORTABLE));
        long live = standIn().get("live");
        try (Gpus metal = Gpus.open(world, LIMITS)) {
            assertSame(expected, sums(world, op, rank -> metal.reducer(rank, SEGMENT_BYTES_MIN)));
            assertEquals(submissions, standIn().get("commits"));
            assertEquals(submissions, metal.sum(gpu -> gpu.status().callsOnGpu()));
            assertEquals(0, metal.sum(gpu -> gpu.status().callsOnCpu()));
        }
        assertEquals(live, standIn().get("live"), "all memory was given back");
        assertEquals("", standIn().violations());
    }

    @Test
    void membersWithDifferentEnginesGetTheSameSum() throws Exception {
        float[][] expected = sums(4, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        try (Gpus metal = Gpus.open(4, LIMITS)) {
            assertSame(
                    expected,
                    sums(
                            4,
                            ReduceOp.SUM,
                            rank -> rank == 1
                                    ? Engines.newReducer(Engine.PORTABLE)
                                    : metal.reducer(rank, SEGMENT_BYTES_MIN)));
            assertEquals(108, standIn().get("commits"));
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "4", "9"})
    void whatTheGpuLeavesUndoneTheCpuDoes(int failing) throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        standIn().set("command_fails", failing);
        standIn().set("error_code", 3);
        try (Gpus metal = Gpus.open(3, LIMITS)) {
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, SEGMENT_BYTES_MIN)));
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
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, SEGMENT_BYTES_MIN)));
            long commits = standIn().get("commits");
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, SEGMENT_BYTES_MIN)));
            assertEquals(3, metal.faults(MetalFault.HANG), "one for each rank");
            assertEquals(commits, standIn().get("commits"), "no request was made again");
        } finally {
            standIn().set("hanging", 0);
        }
    }

    @Test
    void segmentsTooSmallForTheGpuAreTheCpus() throws Exception {
        float[][] expected = sums(3, ReduceOp.SUM, rank -> Engines.newReducer(Engine.PORTABLE));
        try (Gpus metal = Gpus.open(3, LIMITS)) {
            assertSame(expected, sums(3, ReduceOp.SUM, rank -> metal.reducer(rank, 2 * SEGMENT_BYTES_MIN)));
            assertEquals(0, standIn().get("commits"));
        }
    }

    private static void assertSame(float[][] expected, float[][] got) {
        for (int rank = 0; rank < expected.length; rank++) {
            assertArrayEquals(expected[rank], got[rank], "rank " + rank);
        }
    }

    private static float[][] sums(int world, ReduceOp op, IntFunction<Reducer> reducers) throws Exception {
        EngineOptions options = EngineOptions.DEFAULTS
                .within(Duration.ofMinutes(1))
                .with(CollectiveConfig.DEFAULTS.by(AllReduceStrategy.DIRECT));
        float[][] results = new float[world][];
        try (var group = new TestGroup(world, options, List.of(), reducers)) {
            group.start((rank, context) -> {
                        float[] values = gradient(rank);
                        context.allReduce(values, op);
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
