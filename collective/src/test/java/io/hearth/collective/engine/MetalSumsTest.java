package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Reducer;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.ReduceOp;
import io.hearth.standin.MetalStandIn;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With the Metal engine, the GPU packs, unpacks and selects values for compressed sums, with the same bits as the CPU. */
@Tag("full")
final class MetalSumsTest {
    private static final int COUNT = 150_001;
    private static final int STEPS = 2;
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));

    private static Optional<MetalStandIn> built = Optional.empty();

    /** Compressions, and the kernels that they use. */
    enum Way {
        INT8("int8:64,rounding=nearest", "quantise_int8", "add_int8"),
        INT8_STOCHASTIC("int8:128", "quantise_int8", "add_int8"),
        TOP_K("topk:0.01", "combine_float32", "select_float32"),
        DGC("dgc:0.01,momentum=0.9", "select_float32"),
        DGC_REUSE("dgc:0.01,momentum=0.9,reuse=2", "histogram_float32", "select_float32"),
        LOW_RANK("powersgd:1"), // thin products are bound by memory, so the CPU does them
        PLAIN("none", "combine_float32");

        private final String compression;
        private final String kernels;

        Way(String compression, String... kernels) {
            this.compression = compression;
            this.kernels = String.join(" ", kernels);
        }
    }

    @BeforeAll
    static void build() throws Exception {
        built = MetalStandIn.forTests();
    }

    @AfterAll
    static void forget() {
        built = Optional.empty();
    }

    @ParameterizedTest
    @EnumSource
    void theGpuServesTheCodecsWithTheBitsOfTheCpu(Way way) throws Exception {
        assumeTrue(built.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        MetalStandIn standIn = built.orElseThrow();
        standIn.reset();
        standIn.set(MetalStandIn.Manner.FLUSH);
        float[][] expected = sums(way, rank -> Engines.newReducer(Engine.PORTABLE));
        float[][] got;
        // One engine each, as in two processes: a single engine leaves calls to the CPU while its GPU is busy.
        try (MetalEngine one = MetalEngine.open(MetalLibraries.single(standIn.library()), LIMITS);
                MetalEngine other = MetalEngine.open(MetalLibraries.single(standIn.library()), LIMITS)) {
            EngineChoice forced = EngineChoice.from(Engine.PORTABLE, EngineChoice.FORCED_BYTES_MIN);
            got = sums(way, rank -> Engines.reducerOn(rank == 0 ? one : other, forced));
            assertTrue(
                    one.status().faults().isEmpty() && other.status().faults().isEmpty(), "none failed");
        }
        for (int i = 0; i < expected.length; i++) {
            assertArrayEquals(expected[i], got[i], way + " " + i);
        }
        for (String kernel : way.kernels.isEmpty() ? new String[0] : way.kernels.split(" ", -1)) {
            assertTrue(standIn.get("dispatches of " + kernel) > 0, () -> way + " never dispatched " + kernel);
        }
        assertEquals("", standIn.violations());
    }

    /** A member with a GPU and one without work together: each decodes the other's encodings. */
    @ParameterizedTest
    @EnumSource(names = {"INT8", "TOP_K"})
    void membersOfBothKindsGetTheSameSum(Way way) throws Exception {
        assumeTrue(built.isPresent(), "needs g++ or clang++ on Linux x86-64 or aarch64");
        MetalStandIn standIn = built.orElseThrow();
        standIn.reset();
        float[][] expected = sums(way, rank -> Engines.newReducer(Engine.PORTABLE));
        float[][] got;
        try (MetalEngine metal = MetalEngine.open(MetalLibraries.single(standIn.library()), LIMITS)) {
            EngineChoice forced = EngineChoice.from(Engine.PORTABLE, EngineChoice.FORCED_BYTES_MIN);
            got = sums(way, rank -> rank == 0 ? Engines.reducerOn(metal, forced) : Engines.newReducer(Engine.PORTABLE));
            assertTrue(metal.status().callsOnGpu() > 0, () -> metal.status().toString());
        }
        for (int i = 0; i < expected.length; i++) {
            assertArrayEquals(expected[i], got[i], way + " " + i);
        }
    }

    /** Every rank's result after every step. */
    private static float[][] sums(Way way, IntFunction<Reducer> reducers) throws Exception {
        int world = 2;
        float[][] results = new float[world * STEPS][];
        EngineOptions options =
                EngineOptions.DEFAULTS.within(Duration.ofMinutes(1)).as(CompressionStrategy.parse(way.compression));
        try (var group = new TestGroup(world, options, List.of(), reducers)) {
            group.start((rank, context) -> {
                        for (int step = 0; step < STEPS; step++) {
                            float[] values = gradient(rank, step);
                            context.allReduce(values, ReduceOp.SUM);
                            results[rank * STEPS + step] = values;
                        }
                    })
                    .joinWell();
        }
        return results;
    }

    /** Mostly ordinary values, some subnormal ones, which a GPU takes as zero. */
    private static float[] gradient(int rank, int step) {
        var random = new SplittableRandom(rank * 1009L + step);
        float[] values = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            values[i] = i % 500 < 130
                    ? Float.intBitsToFloat(random.nextInt() & 0x800f_ffff)
                    : (float) (random.nextDouble() - 0.5);
        }
        return values;
    }
}
