package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RoundingTest {
    private static final Rounding SOME = Rounding.stochastic(0x0123_4567_89ab_cdefL);
    private static final int BLOCKS = 20_000;
    private static final int BLOCK = 64;

    /** A draw is never 0 and never a half, so a quotient that is one rounding beyond a level keeps that level. */
    @Test
    void aDrawIsAnOddMultipleOfASixteenthPowerBetweenTheHalves() {
        for (int block = 0; block < BLOCKS; block++) {
            int seed = SOME.blockSeed(block);
            for (int i = 0; i < BLOCK; i++) {
                float steps = Rounding.draw(seed, i) * 0x1p16f;
                assertEquals(1, Math.abs((int) steps) % 2, () -> "steps " + steps);
                assertEquals((int) steps, steps);
                assertTrue(Math.abs(steps) < 0x1p15f, () -> "steps " + steps);
            }
        }
    }

    /** So a rounded value equals the value on average; the bound is five standard deviations of the mean. */
    @ParameterizedTest
    @ValueSource(floats = {0, 0.001f, 0.25f, 0.5f, 0.9f, -0.3f, 3.7f, -126.99f})
    void aValueIsRoundedToItselfOnAverage(float value) {
        double sum = 0;
        for (int block = 0; block < BLOCKS; block++) {
            int seed = SOME.blockSeed(block);
            for (int i = 0; i < BLOCK; i++) {
                sum += Math.rint(value + Rounding.draw(seed, i));
            }
        }
        double share = value - Math.floor(value);
        double deviation = Math.sqrt(share * (1 - share) / (BLOCKS * (double) BLOCK));
        assertEquals(value, sum / (BLOCKS * (double) BLOCK), 5 * deviation + 0x1p-15);
    }
}
