package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Reducer;
import io.hearth.accel.ReducerContractTest;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of all engines for the GPU of this machine; skipped without Metal. */
final class MetalDeviceReducerTest extends ReducerContractTest {
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 16 << 20, Duration.ofSeconds(20), Duration.ofSeconds(60));

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
    protected Reducer newReducer() {
        return new MetalReducer(engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
    }
}
