package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecKernelsContractTest;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.accel.selftest.CodecSelfTest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of the codecs' kernels for Metal on a stand-in that flushes subnormals, with calls in several pieces. */
final class MetalCodecKernelsTest extends CodecKernelsContractTest {
    private static final MetalLimits LIMITS = new MetalLimits(1, 8192, Duration.ofSeconds(60), Duration.ofSeconds(60));

    private FakeMetal fake;
    private MetalEngine engine;
    private long liveBefore;

    @BeforeEach
    void open() {
        fake = FakeMetal.get();
        fake.set("flush", 1);
        liveBefore = fake.get("live");
        engine = MetalEngine.open(fake.libraries(), LIMITS);
    }

    @AfterEach
    void close() {
        if (engine != null) {
            engine.close();
            fake.assertObeyed();
            assertEquals(liveBefore, fake.get("live"), "all objects were released");
        }
    }

    @Override
    protected CodecKernels kernels() {
        return new MetalCodecKernels(
                engine, Engines.codecKernels(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
    }

    @Test
    void theGpuDoesIt() {
        assertEquals(Optional.empty(), new CodecSelfTest(kernels()).firstDifference());
        assertTrue(engine.status().callsOnGpu() > 100, () -> engine.status().toString());
        assertEquals(0, engine.status().callsOnCpu());
    }

    /** The first piece is done, the second one fails, and the CPU continues there. */
    @Test
    void whatFailsInTheMiddleIsFinishedByTheCpuWithTheSameBits() {
        for (int chance = 1; chance <= 3; chance++) {
            close();
            open();
            fake.set("command_fails", chance);
            assertEquals(Optional.empty(), new CodecSelfTest(kernels()).firstDifference());
            assertTrue(engine.status().callsOnCpu() > 0);
        }
    }

    @Test
    void whatIsBelowTheCrossoverStaysOnTheCpu() {
        var later = new MetalCodecKernels(
                engine, Engines.codecKernels(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 1 << 20));
        assertEquals(Optional.empty(), new CodecSelfTest(later).firstDifference());
        assertEquals(0, engine.status().callsOnGpu());
    }

    /** In real use a piece has millions of values: 16 bits are too few for a bucket. */
    @Test
    void aBucketCountsMoreThanSixteenBitsOfOneMagnitude() {
        int count = 100_000;
        var wide = new MetalLimits(1, 1 << 20, Duration.ofSeconds(60), Duration.ofSeconds(60));
        try (MetalEngine large = MetalEngine.open(fake.libraries(), wide);
                var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate((long) count * Float.BYTES);
            for (int i = 0; i < count; i++) {
                values.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 10 == 0 ? -4 : 1);
            }
            var histogram = new MagnitudeHistogram();
            int one = Float.floatToRawIntBits(1);
            histogram.begin(one, one + (1L << 23), 12);
            new MetalCodecKernels(large, Engines.codecKernels(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0))
                    .histogram(values, 0, count, histogram);
            assertEquals(1, large.status().callsOnGpu());
            assertEquals(90_000, histogram.count(0));
            assertEquals(10_000, histogram.beyond());
        }
    }

    /** A large run for a kernel that stays on the CPU would only leave its cache. */
    @Test
    void aRunIsLargeOnlyForAKernelThatTheGpuDoes() {
        var choice = new EngineChoice(
                Engine.PORTABLE, Map.of(KernelKind.QUANTISE_INT8, 1L << 20, KernelKind.HISTOGRAM_FLOAT32, 1L << 24));
        var kernels = new MetalCodecKernels(engine, Engines.codecKernels(Engine.PORTABLE), choice);
        int small = MagnitudeHistogram.RUN;
        assertEquals(1 << 18, kernels.run(new BlockFormat(8, 64), 1 << 18));
        assertEquals(small, kernels.run(new BlockFormat(8, 64), (1 << 18) - 1024));
        assertEquals(small, kernels.run(new BlockFormat(4, 64), 1 << 18), "no kernel of the GPU");
        assertEquals(small, kernels.run(KernelKind.SELECT_FLOAT32, 1 << 18), "never the GPU's");
        assertEquals(small, kernels.run(KernelKind.HISTOGRAM_FLOAT32, 1 << 30), "only in larger runs than there are");
    }
}
