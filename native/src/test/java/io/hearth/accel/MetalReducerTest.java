package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.metal.MetalStatus;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of all engines, kept by the Metal engine on a stand-in; what differs is the stand-in's manner. */
abstract class MetalReducerTest extends ReducerContractTest {
    private final SortedMap<String, Long> manner;
    private final MetalLimits limits;
    private FakeMetal fake;
    private MetalEngine engine;
    private long liveBefore;

    MetalReducerTest(SortedMap<String, Long> manner, int pieceBytesMax) {
        this.manner = new TreeMap<>(manner);
        limits = new MetalLimits(1, pieceBytesMax, Duration.ofSeconds(60), Duration.ofSeconds(60));
    }

    @BeforeEach
    void open() {
        fake = FakeMetal.get();
        manner.forEach(fake::set);
        liveBefore = fake.get("live");
        engine = MetalEngine.open(fake.libraries(), limits);
        assertTrue(engine.status().usable(), () -> engine.status().toString());
    }

    @AfterEach
    void close() {
        if (engine != null) {
            MetalStatus status = engine.status();
            assertTrue(status.usable(), status::toString);
            assertEquals(0, status.callsOnCpu(), status::toString);
            engine.close();
            fake.assertObeyed();
            assertEquals(liveBefore, fake.get("live"), "all objects were released");
        }
    }

    @Override
    Reducer newReducer() {
        return new MetalReducer(engine, Engine.PORTABLE.newReducer(), EngineChoice.from(Engine.PORTABLE, 0));
    }
}
