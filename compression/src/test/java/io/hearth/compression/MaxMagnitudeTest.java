package io.hearth.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MaxMagnitudeTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, 0",
        "1.5, 1.5",
        "-70000, 70000",
        "1.4e-45, 1.4e-45",
        "-3.4028235e38, 3.4028235e38",
        "Infinity, Infinity",
        "-Infinity, Infinity",
        "NaN, Infinity"
    })
    void itIsTheLargestMagnitudeWhereverItLies(float value, float reach) {
        for (int count : new int[] {1, 7, Float32.BLOCK, 2 * Float32.BLOCK + 5}) {
            for (int at : new int[] {0, count / 2, count - 1}) {
                try (var arena = Arena.ofConfined()) {
                    MemorySegment values = arena.allocate(Float32.FLOAT, count);
                    values.setAtIndex(Float32.FLOAT, at, value);
                    assertEquals(reach, MaxMagnitude.of(values, count), count + " values, at " + at);
                }
            }
        }
    }

    @Test
    void nothingReachesNowhere() {
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(Float32.FLOAT, 4);
            values.setAtIndex(Float32.FLOAT, 2, Float.NaN);
            assertEquals(0, MaxMagnitude.of(values, 0));
            assertEquals(0, MaxMagnitude.of(values, 2), "what comes after is not looked at");
            assertThrows(IllegalArgumentException.class, () -> MaxMagnitude.of(values, 5));
        }
    }
}
