package io.hearth.accel.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineChoice;
import io.hearth.accel.Reducer;
import io.hearth.accel.ReducerContractTest;
import io.hearth.accel.Trial;
import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.metal.MetalStatus;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of all engines for the Metal engine on a stand-in; subclasses set the manner of the stand-in. */
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

    /** The fault is in each piece in turn: the GPU's results stay, and the CPU continues from there in each operand. */
    @ParameterizedTest
    @EnumSource
    void aFaultInTheMiddleIsFinishedByTheCpu(Trial.Left left) {
        int piece = 1021;
        var small = new MetalLimits(1, piece * Float.BYTES, Duration.ofSeconds(60), Duration.ofSeconds(60));
        for (int chance = 1; chance <= 4; chance++) {
            try (MetalEngine failing = MetalEngine.open(fake.libraries(), small)) {
                var reducer = new MetalReducer(
                        failing, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
                fake.set("command_fails", chance);
                new Trial(reducer, new SplittableRandom(chance), DataType.FLOAT32)
                        .combine(ReduceOp.SUM, left, Trial.Right.NATIVE, 4 * piece, 2);
                assertEquals(1, failing.status().callsOnCpu(), "chance " + chance);
            }
        }
    }

    @Override
    protected Reducer newReducer() {
        return new MetalReducer(engine, Engines.newReducer(Engine.PORTABLE), EngineChoice.from(Engine.PORTABLE, 0));
    }
}
