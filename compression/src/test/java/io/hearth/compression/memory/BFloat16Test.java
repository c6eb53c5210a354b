package io.hearth.compression.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** float32 stored as bfloat16. */
final class BFloat16Test {
    private static final int COUNT = 20_000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment kept = arena.allocate((long) COUNT * BFloat16.BYTES);
    private final MemorySegment values = arena.allocate(Float32.FLOAT, COUNT);

    @AfterEach
    void free() {
        arena.close();
    }

    /** The tolerance is four standard deviations of the mean of {@code COUNT} roundings, each of which errs by less than a step. */
    @ParameterizedTest
    @ValueSource(floats = {1.001f, -3.14159f, 1e-30f, -1e30f, 0.3f, 1e-41f})
    void roundingIsRightInTheMeanAndByLessThanAStep(float value) {
        float step = Float.intBitsToFloat((Float.floatToIntBits(Math.abs(value)) | 0xffff) + 1)
                - Float.intBitsToFloat(Float.floatToIntBits(Math.abs(value)) & 0xffff_0000);
        double sum = 0;
        for (float rounded : rounded(value, 7)) {
            assertTrue(Math.abs(rounded - value) < step, value + " became " + rounded);
            sum += rounded;
        }
        assertEquals(value, sum / COUNT, 2 * step / Math.sqrt(COUNT));
    }

    @ParameterizedTest
    @ValueSource(floats = {0, -0.0f, 1, -1.5f, 0x1.fep127f, -0x1p-133f})
    void whatHasFewBitsStaysAsItIs(float value) {
        for (float rounded : rounded(value, 11)) {
            assertEquals(Float.floatToRawIntBits(value), Float.floatToRawIntBits(rounded));
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.MAX_VALUE, -Float.MAX_VALUE, 0x1.feffp127f})
    void theLargestStayFinite(float value) {
        for (float rounded : rounded(value, 13)) {
            assertEquals(value, rounded, Math.abs(value) / 128);
        }
    }

    @Test
    void anotherDrawRoundsOtherwiseAndTheSameOneAlike() {
        float[] first = rounded(0.1f, 1);
        assertEquals(0, different(first, rounded(0.1f, 1)));
        int different = different(first, rounded(0.1f, 2));
        assertTrue(different > COUNT / 4, different + " of " + COUNT);
    }

    @Test
    void aPartHasTheChancesOfItsPlace() {
        values.fill((byte) 0x3d);
        BFloat16.round(values, COUNT, kept, 0, 5);
        MemorySegment parts = arena.allocate(kept.byteSize());
        BFloat16.round(values, 700, parts, 0, 5);
        BFloat16.round(values, COUNT - 700, parts, 700, 5);
        assertEquals(-1, kept.mismatch(parts));
        BFloat16.widen(kept, 700, values, 1);
        assertEquals(BFloat16.value(kept, 700), values.get(Float32.FLOAT, 0));
    }

    private static int different(float[] one, float[] other) {
        int different = 0;
        for (int i = 0; i < COUNT; i++) {
            different += one[i] == other[i] ? 0 : 1;
        }
        return different;
    }

    private float[] rounded(float value, long draw) {
        for (long i = 0; i < COUNT; i++) {
            values.setAtIndex(Float32.FLOAT, i, value);
        }
        BFloat16.round(values, COUNT, kept, 0, draw);
        BFloat16.widen(kept, 0, values, COUNT);
        return values.toArray(Float32.FLOAT);
    }
}
