package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.CodecKernelsContractTest;
import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.accel.selftest.CodecSelfTest;
import io.hearth.accel.selftest.ReducerSelfTest;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of the codecs' kernels for the GPU of this machine; skipped without Metal. */
final class MetalDeviceCodecKernelsTest extends CodecKernelsContractTest {
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 20, Duration.ofSeconds(20), Duration.ofSeconds(60));

    private MetalEngine engine;

    @BeforeEach
    void open() {
        assumeTrue(
                MetalLibraries.here().isPresent(),
                () -> MetalLibraries.absence().orElse(""));
        engine = MetalEngine.open(LIMITS);
        assertTrue(engine.status().usable(), () -> engine.status().toString());
    }

    @AfterEach
    void close() {
        if (engine != null) {
            assertEquals(0, engine.status().callsOnCpu(), () -> engine.status().toString());
            engine.close();
        }
    }

    @Override
    protected CodecKernels kernels() {
        return new MetalCodecKernels(
                engine, Engines.codecKernels(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
    }

    @Test
    void theSelfTestPasses() {
        assertEquals(Optional.empty(), new CodecSelfTest(kernels()).firstDifference());
        assertEquals(Optional.empty(), ReducerSelfTest.of(engine).firstDifference());
    }
}
