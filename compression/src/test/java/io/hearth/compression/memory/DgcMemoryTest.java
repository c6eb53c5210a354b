package io.hearth.compression.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.DgcOptions;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.SparsitySchedule;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DgcMemoryTest {
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"0,0.25", "9,0.25", "10,0.0625", "25,0.015625", "39,0.004", "40,0.001", "4000,0.001"})
    void theWarmUpLeavesOutMoreAndMore(long step, double fraction) {
        assertEquals(fraction, SparsitySchedule.dgc(10).fraction(step));
    }

    @Test
    void theWarmUpSaysHowManyAreSent() throws Exception {
        var schedule = new SparsitySchedule(List.of(0.25, 0.05), 2);
        try (var memory = Memories.dgc(DgcOptions.of(schedule, 0), 1)) {
            for (int wanted : new int[] {25, 25, 5, 5, 5}) {
                assertEquals(wanted, kept(send(memory, normal(100, new SplittableRandom(wanted)))));
            }
        }
    }

    /** The algorithm of the paper, by hand: one value is sent in each step, and a value that was sent loses its momentum. */
    @Test
    void momentumIsCorrectedAndMaskedWhereSomethingWasSent() throws Exception {
        try (var memory = Memories.dgc(DgcOptions.of(SparsitySchedule.constant(0.5), 0.5f), 1)) {
            assertArrayEquals(new float[] {4, 0}, send(memory, 4, 1));
            assertArrayEquals(new float[] {0, 1}, memory.momentum("layer"));
            assertArrayEquals(new float[] {0, 1}, memory.velocity("layer"));
            assertArrayEquals(new float[] {4, 0}, send(memory, 4, 1));
            assertArrayEquals(new float[] {0, 1.5f}, memory.momentum("layer")); // 0.5 * 1 + 1
            assertArrayEquals(new float[] {0, 2.5f}, memory.velocity("layer")); // 1 + 1.5
            assertArrayEquals(new float[] {0, 4.25f}, send(memory, 3, 1)); // 2.5 + (0.5 * 1.5 + 1)
            assertArrayEquals(new float[] {3, 0}, memory.momentum("layer"));
            assertArrayEquals(new float[] {3, 0}, memory.velocity("layer"));
        }
    }

    /** Units of 4 keep 11 bits: 4 + 2^-9 becomes 4. */
    @Test
    void whatSixteenBitsDoNotHoldStaysOwedWithoutMomentum() throws Exception {
        var options = DgcOptions.of(SparsitySchedule.constant(0.5), 0.5f);
        try (var half = Memories.dgc(options, 1);
                var full = Memories.dgc(options.full(true), 1)) {
            assertArrayEquals(new float[] {4, 0}, send(half, 4 + 0x1p-9f, 1));
            assertArrayEquals(new float[] {0x1p-9f, 1}, half.velocity("layer"));
            assertArrayEquals(new float[] {0, 1}, half.momentum("layer"));
            assertArrayEquals(new float[] {4 + 0x1p-9f, 0}, send(full, 4 + 0x1p-9f, 1));
            assertArrayEquals(new float[] {0, 1}, full.velocity("layer"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void withoutMomentumNothingIsLostOverTime(int reuse) throws Exception {
        var random = new SplittableRandom(11);
        int count = 3000;
        double[] gradients = new double[count];
        double[] sent = new double[count];
        try (var memory =
                Memories.dgc(DgcOptions.of(SparsitySchedule.constant(0.01), 0).reusing(reuse), 1)) {
            for (int step = 0; step < 400; step++) {
                float[] gradient = normal(count, random);
                float[] decoded = send(memory, gradient);
                for (int i = 0; i < count; i++) {
                    gradients[i] += gradient[i];
                    sent[i] += decoded[i];
                }
                assertTrue(kept(decoded) >= 15 && kept(decoded) <= 60, kept(decoded) + " in step " + step);
            }
            float[] velocity = memory.velocity("layer");
            for (int i = 0; i < count; i++) {
                assertEquals(gradients[i], sent[i] + velocity[i], 1e-3, "value " + i);
            }
        }
    }

    @Test
    void aThresholdIsUsedAgainUntilItsTimeIsOverOrItFits() throws Exception {
        var options = DgcOptions.of(SparsitySchedule.constant(0.1), 0).reusing(3);
        try (var memory = Memories.dgc(options, 1)) {
            float[] rising = new float[100];
            for (int i = 0; i < 100; i++) {
                rising[i] = i + 1;
            }
            assertEquals(10, kept(send(memory, rising))); // from 91 on
            float[] some = new float[100];
            for (int i = 0; i < 15; i++) {
                some[i] = 200;
            }
            assertEquals(15, kept(send(memory, some)), "15 are between half and twice of 10");
            float[] many = new float[100];
            for (int i = 0; i < 40; i++) {
                many[i] = 1000 + i;
            }
            assertEquals(10, kept(send(memory, many)), "40 are too many, so it is searched again");
        }
    }

    @Test
    void aThresholdServesAsManyStepsAsAsked() throws Exception {
        float[] fifteen = new float[100];
        for (int i = 0; i < 15; i++) {
            fifteen[i] = 200 + i;
        }
        float[] ten = Arrays.copyOf(fifteen, 100);
        Arrays.fill(ten, 10, 15, 0);
        try (var memory =
                Memories.dgc(DgcOptions.of(SparsitySchedule.constant(0.1), 0).reusing(3), 1)) {
            assertEquals(10, kept(send(memory, ten)), "searched: the least is 200");
            assertEquals(15, kept(send(memory, fifteen)), "used again");
            assertEquals(15, kept(send(memory, fifteen)), "and again");
            assertEquals(10, kept(send(memory, fifteen)), "searched");
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1.0", "4,0.5"})
    void gradientsAreClippedToTheirShareOfTheNorm(int contributors, float norm) throws Exception {
        var options =
                DgcOptions.of(SparsitySchedule.constant(1), 0).clippedTo(1).full(true);
        try (var memory = Memories.dgc(options, 1)) {
            memory.contributors(contributors);
            float[] sent = send(memory, 3, 4);
            assertEquals(0.6f * norm, sent[0], 1e-6);
            assertEquals(0.8f * norm, sent[1], 1e-6);
            assertArrayEquals(new float[] {0.06f, 0.08f}, send(memory, 0.06f, 0.08f), "small enough");
        }
    }

    @Test
    void aRolledBackStepIsRepeatedBitForBit() throws Exception {
        var random = new SplittableRandom(2);
        var options = DgcOptions.of(SparsitySchedule.dgc(2), 0.9f).reusing(4);
        try (var memory = Memories.dgc(options, 1)) {
            for (int step = 0; step < 20; step++) {
                MemorySegment gradient = arena.allocateFrom(Float32.FLOAT, normal(500, random));
                MemorySegment encoded = arena.allocate(memory.encodedBytesMax(500));
                Pending given = memory.prepare("layer", gradient, 500, encoded);
                byte[] first = encoded.asSlice(0, given.encodedBytes()).toArray(ValueLayout.JAVA_BYTE);
                given.rollback();
                Pending again = memory.prepare("layer", gradient, 500, encoded);
                assertArrayEquals(
                        first, encoded.asSlice(0, again.encodedBytes()).toArray(ValueLayout.JAVA_BYTE));
                again.commit();
            }
        }
    }

    @Test
    void whatIsNotFiniteIsNamedAndChangesNothing() throws Exception {
        var options = DgcOptions.of(SparsitySchedule.constant(0.25), 0.5f).reusing(5);
        try (var memory = Memories.dgc(options, 1)) {
            send(memory, 1, 2, 3, 4);
            float[] velocity = memory.velocity("layer");
            for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
                var refusal = assertThrows(NonFiniteException.class, () -> send(memory, 1, 1, bad, 1));
                assertEquals(2, refusal.index());
                assertArrayEquals(velocity, memory.velocity("layer"));
            }
            send(memory, 1, 1, 1, 1);
        }
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        var schedule = SparsitySchedule.constant(0.1);
        assertThrows(IllegalArgumentException.class, () -> DgcOptions.of(schedule, 1));
        assertThrows(IllegalArgumentException.class, () -> DgcOptions.of(schedule, Float.NaN));
        assertThrows(
                IllegalArgumentException.class, () -> DgcOptions.of(schedule, 0).clippedTo(0));
        assertThrows(
                IllegalArgumentException.class, () -> DgcOptions.of(schedule, 0).reusing(0));
        assertThrows(IllegalArgumentException.class, () -> SparsitySchedule.constant(0));
        assertThrows(IllegalArgumentException.class, () -> new SparsitySchedule(List.of(), 1));
        assertThrows(IllegalArgumentException.class, () -> SparsitySchedule.dgc(0));
        assertThrows(IllegalArgumentException.class, () -> schedule.fraction(-1));
    }

    private float[] send(DgcMemory memory, float... gradient) throws Exception {
        int count = gradient.length;
        MemorySegment encoded = arena.allocate(memory.encodedBytesMax(count));
        MemorySegment borrowed = arena.allocateFrom(Float32.FLOAT, gradient);
        Pending pending = memory.prepare("layer", borrowed, count, encoded);
        assertTrue(pending.encodedBytes() <= encoded.byteSize());
        assertArrayEquals(gradient, borrowed.toArray(Float32.FLOAT));
        pending.commit();
        MemorySegment values = arena.allocate(Float32.FLOAT, count);
        SparseSum.decode(encoded.asSlice(0, pending.encodedBytes()), values, count);
        return values.toArray(Float32.FLOAT);
    }

    private static int kept(float[] values) {
        int kept = 0;
        for (float value : values) {
            kept += value != 0 ? 1 : 0;
        }
        return kept;
    }

    private static float[] normal(int count, SplittableRandom random) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }
}
