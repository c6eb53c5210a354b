package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.metal.FakeMetal;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The memory that a GPU reads without a copy. */
final class ReducerMemoryTest {
    private static final int COUNT = 1000;
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 16, Duration.ofSeconds(60), Duration.ofSeconds(60));

    @Test
    void processorsUsePlainMemory() {
        assertTrue(Engines.newReducer(Engine.PORTABLE).allocate(1 << 20).isEmpty());
    }

    @Test
    void aGpuHasMemoryForTheSizesOfItsKernelsWhileItIsThere() {
        FakeMetal fake = FakeMetal.get();
        var choice =
                new EngineChoice(Engine.PORTABLE, Map.of(KernelKind.SUM_FLOAT32, 8192L, KernelKind.SUM_INT32, 4000L));
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), LIMITS)) {
            Reducer reducer = Engines.reducerOn(metal, choice);
            assertTrue(reducer.allocate(3999).isEmpty(), "no kernel of the GPU begins there");
            reducer.allocate(4000).orElseThrow().close();
            metal.distrust("a test says so");
            assertTrue(reducer.allocate(4000).isEmpty());
        }
        fake.assertObeyed();
    }

    @Test
    void operandsInItsMemoryAreNotCopied() {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), LIMITS)) {
            Reducer reducer = Engines.reducerOn(metal, EngineChoice.from(Engine.PORTABLE, 4000));
            EngineMemory memory = reducer.allocate(3 * 4 * COUNT).orElseThrow();
            MemorySegment rows = memory.segment();
            for (int i = 0; i < 3 * COUNT; i++) {
                rows.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            reducer.combine(DataType.FLOAT32, ReduceOp.SUM, rows, 0, rows, 4 * COUNT, rows, 8 * COUNT, COUNT);
            for (int i = 0; i < COUNT; i++) {
                assertEquals(2f * i + 3 * COUNT, rows.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
            assertEquals(1, metal.status().callsOnGpu());
            assertEquals(2, fake.get("buffers"), "the given one and one for the result");
            memory.close();
            assertThrows(IllegalStateException.class, () -> rows.get(ValueLayout.JAVA_BYTE, 0));
        }
        fake.assertObeyed();
    }
}
