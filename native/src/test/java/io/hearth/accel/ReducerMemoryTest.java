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

/** The size from which many inputs at once are faster, and the memory for them. */
final class ReducerMemoryTest {
    private static final int COUNT = 1000;
    private static final MetalLimits LIMITS =
            new MetalLimits(1, 1 << 16, Duration.ofSeconds(60), Duration.ofSeconds(60));

    @Test
    void processorsAddInputsAsTheyComeInAnyMemory() {
        Reducer reducer = Engines.newReducer(Engine.PORTABLE);
        for (DataType type : DataType.values()) {
            assertEquals(Long.MAX_VALUE, reducer.combineAllFrom(type, 4));
        }
        assertTrue(reducer.allocate(1 << 20).isEmpty());
    }

    @Test
    void aGpuSaysWhatWasMeasuredWhileItIsThere() {
        FakeMetal fake = FakeMetal.get();
        var choice = new EngineChoice(
                Engine.PORTABLE, Map.of(KernelKind.SUM_FLOAT32, 8192L, KernelKind.SUM4_FLOAT32, 4000L));
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), LIMITS)) {
            Reducer reducer = Engines.reducerOn(metal, choice);
            assertEquals(8192, reducer.combineAllFrom(DataType.FLOAT32, 2));
            assertEquals(4000, reducer.combineAllFrom(DataType.FLOAT32, 3));
            assertEquals(Long.MAX_VALUE, reducer.combineAllFrom(DataType.INT32, 3));
            assertEquals(Long.MAX_VALUE, reducer.combineAllFrom(DataType.FLOAT64, 3));
            assertTrue(reducer.allocate(3999).isEmpty(), "no kernel of the GPU begins there");
            reducer.allocate(4000).orElseThrow().close();
            metal.distrust("a test says so");
            assertEquals(Long.MAX_VALUE, reducer.combineAllFrom(DataType.FLOAT32, 3));
            assertTrue(reducer.allocate(4000).isEmpty());
        }
        fake.assertObeyed();
    }

    @Test
    void inputsInItsMemoryAreNotCopied() {
        FakeMetal fake = FakeMetal.get();
        try (MetalEngine metal = MetalEngine.open(fake.libraries(), LIMITS)) {
            Reducer reducer = Engines.reducerOn(metal, EngineChoice.from(Engine.PORTABLE, 4000));
            EngineMemory memory = reducer.allocate(4 * 4 * COUNT).orElseThrow();
            MemorySegment rows = memory.segment();
            for (int i = 0; i < 4 * COUNT; i++) {
                rows.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            var inputs =
                    new MemorySegment[] {rows.asSlice(4 * COUNT), rows.asSlice(8 * COUNT), rows.asSlice(12 * COUNT)};
            reducer.combineAll(DataType.FLOAT32, ReduceOp.SUM, rows, 0, inputs, COUNT);
            for (int i = 0; i < COUNT; i++) {
                assertEquals(3f * i + 6 * COUNT, rows.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
            assertEquals(1, metal.status().callsOnGpu());
            assertEquals(0, metal.bytesStaged());
            memory.close();
            assertThrows(IllegalStateException.class, () -> rows.get(ValueLayout.JAVA_BYTE, 0));
        }
        fake.assertObeyed();
    }
}
