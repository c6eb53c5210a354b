package io.hearth.compression.memory;

import static io.hearth.compression.TestKernels.KERNELS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RandomKMemoryTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    private static RandomKMemory memory(double fraction, boolean remembers) {
        return new RandomKMemory(fraction, remembers, 2, KERNELS);
    }

    private MemorySegment of(float... values) {
        return arena.allocateFrom(Float32.FLOAT, values);
    }

    private float[] gradient(int step, int count) {
        var random = new SplittableRandom(step);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextInt(-64, 64); // sums of whole numbers are exact
        }
        return values;
    }

    /** Every value either arrives or is in the residual, whether the sum is written over the gradient or elsewhere. */
    @ParameterizedTest
    @CsvSource({"1, 0.5, false", "37, 0.1, true", "37, 1, false", "10000, 0.01, true", "8193, 0.3, false"})
    void nothingIsLostOverTime(int count, double fraction, boolean inPlace) throws Exception {
        try (var memory = memory(fraction, true)) {
            double[] missing = new double[count];
            MemorySegment drawn = arena.allocate(Float32.FLOAT, memory.kept(count));
            for (int step = 0; step < 20; step++) {
                float[] given = gradient(step, count);
                MemorySegment gradient = of(given);
                MemorySegment sum = inPlace ? gradient : arena.allocate(Float32.FLOAT, count);
                DrawnPending pending = memory.prepare("layer", gradient, count, step, drawn);
                assertEquals(memory.kept(count) * Float.BYTES, pending.encodedBytes());
                pending.deliver(drawn, sum);
                pending.commit();
                float[] sent = sum.toArray(Float32.FLOAT);
                int kept = 0;
                for (int i = 0; i < count; i++) {
                    missing[i] += given[i];
                    if (sent[i] != 0) {
                        assertEquals(
                                missing[i], sent[i], "value " + i + " of step " + step + " comes with its residual");
                        kept++;
                    }
                    missing[i] -= sent[i];
                }
                assertEquals(Math.max(1, Math.round(fraction * count)), memory.kept(count));
                assertEquals(true, kept <= memory.kept(count));
            }
            MemorySegment rest = arena.allocate(Float32.FLOAT, count);
            memory.prepareDense("layer", of(new float[count]), count, rest).commit();
            for (int i = 0; i < count; i++) {
                assertEquals(missing[i], rest.getAtIndex(Float32.FLOAT, i), "value " + i);
            }
        }
    }

    @Test
    void withoutMemoryWhatIsNotDrawnIsLost() throws Exception {
        int count = 100;
        try (var memory = memory(0.1, false)) {
            MemorySegment drawn = arena.allocate(Float32.FLOAT, 10);
            MemorySegment sum = arena.allocate(Float32.FLOAT, count);
            for (int step = 0; step < 3; step++) {
                MemorySegment gradient = of(gradient(step, count));
                DrawnPending pending = memory.prepare("layer", gradient, count, step, drawn);
                pending.deliver(drawn, sum);
                pending.commit();
                for (int i = 0; i < count; i++) {
                    float value = sum.getAtIndex(Float32.FLOAT, i);
                    assertEquals(value == 0 ? 0 : gradient.getAtIndex(Float32.FLOAT, i), value);
                }
            }
            MemorySegment rest = arena.allocate(Float32.FLOAT, count);
            memory.prepareDense("layer", of(new float[count]), count, rest).commit();
            assertArrayEquals(new float[count], rest.toArray(Float32.FLOAT));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsRolledBackIsDrawnAgainAlike(boolean remembers) throws Exception {
        int count = 5000;
        try (var memory = memory(0.1, remembers)) {
            MemorySegment first = arena.allocate(Float32.FLOAT, memory.kept(count));
            MemorySegment again = arena.allocate(Float32.FLOAT, memory.kept(count));
            memory.prepare("layer", of(gradient(1, count)), count, 1, first).commit();
            memory.prepare("layer", of(gradient(2, count)), count, 2, first).rollback();
            memory.prepare("layer", of(gradient(2, count)), count, 2, again).rollback();
            assertEquals(-1, first.mismatch(again));
            Pending pending = memory.prepare("layer", of(gradient(2, count)), count, 2, first);
            assertThrows(
                    IllegalStateException.class,
                    () -> memory.prepare("layer", of(gradient(2, count)), count, 2, again),
                    "one at a time");
            pending.commit();
            assertThrows(IllegalStateException.class, pending::commit);
        }
    }

    /** Also for a value that is not drawn: leaving it out would make it 0. */
    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void whatIsNotFiniteIsRefusedWhereverItIs(float bad) throws Exception {
        int count = 9000;
        for (boolean remembers : new boolean[] {true, false}) {
            try (var memory = memory(0.01, remembers)) {
                MemorySegment drawn = arena.allocate(Float32.FLOAT, memory.kept(count));
                for (int at : new int[] {0, 17, 4095, 4096, count - 1}) {
                    MemorySegment gradient = of(gradient(1, count));
                    gradient.setAtIndex(Float32.FLOAT, at, bad);
                    var refused = assertThrows(
                            NonFiniteException.class, () -> memory.prepare("layer", gradient, count, 1, drawn));
                    assertEquals(at, refused.index());
                }
                memory.prepare("layer", of(gradient(1, count)), count, 1, drawn).commit();
            }
        }
    }

    @Test
    void whatIsOwedIsSavedAndRestored() throws Exception {
        int count = 300;
        try (var memory = memory(0.1, true);
                var other = memory(0.1, true)) {
            MemorySegment drawn = arena.allocate(Float32.FLOAT, memory.kept(count));
            memory.prepare("layer", of(gradient(1, count)), count, 1, drawn).commit();
            MemorySegment saved = arena.allocate(memory.savedBytes());
            memory.save(saved);
            other.restore(saved);
            MemorySegment restored = arena.allocate(Float32.FLOAT, memory.kept(count));
            memory.prepare("layer", of(gradient(2, count)), count, 2, drawn).commit();
            other.prepare("layer", of(gradient(2, count)), count, 2, restored).commit();
            assertEquals(-1, drawn.mismatch(restored));
            saved.set(Float32.FLOAT, saved.byteSize() - 8, 1);
            assertThrows(MalformedMessageException.class, () -> other.restore(saved));
        }
    }
}
