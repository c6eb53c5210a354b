package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole trainings: the number of right images among the 180 test images. */
final class DigitsAccuracyTest {
    private final Digits digits = Digits.load();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everySeedEndsMoreThanOnePointAbove95Percent(long seed) {
        int right = train(seed);
        assertTrue(right >= 0.962 * digits.test().size(), "seed " + seed + ": " + right + " right");
    }

    @Test
    void aClusterLargerThanTheGlobalBatchIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> DigitsRecipe.batches(digits, 65, 1, 1));
        assertEquals(
                1,
                DigitsRecipe.batches(digits, 64, 1, 1)
                        .shard(63, 64)
                        .iterator()
                        .next()
                        .size());
    }

    private int train(long seed) {
        Mlp model = DigitsRecipe.model(seed);
        for (Batch batch :
                DigitsRecipe.batches(digits, 1, DigitsRecipe.EPOCHS, seed).shard(0, 1)) {
            model.step(model.gradients(batch));
        }
        return model.right(digits.test());
    }
}
