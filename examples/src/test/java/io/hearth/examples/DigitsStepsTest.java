package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DigitsStepsTest {
    private static final int STEPS_PER_PASS = 25;

    private final Digits digits = Digits.load();

    /** Each image as text, to distinguish images. */
    private static List<String> images(Batch batch) {
        return IntStream.range(0, batch.size())
                .mapToObj(sample -> IntStream.range(0, batch.width())
                        .mapToObj(pixel -> "" + batch.feature(sample, pixel))
                        .toList()
                        .toString())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void theRanksShareAStepEvenly(int worldSize) {
        var together = new ArrayList<String>();
        var steps = new DigitsSteps(digits, 1);
        for (int rank = 0; rank < worldSize; rank++) {
            Batch batch = steps.batch(7, rank, worldSize);
            assertEquals(DigitsRecipe.GLOBAL_BATCH / worldSize, batch.size());
            together.addAll(images(batch));
        }
        List<String> whole = images(new DigitsSteps(digits, 1).batch(7, 0, 1));
        assertEquals(whole.subList(0, together.size()), together);
    }

    @Test
    void whoEntersLaterTakesWhatWhoWasThereWouldHave() {
        var early = new DigitsSteps(digits, 1);
        for (long step = 0; step < 60; step++) {
            early.batch(step, 0, 3);
        }
        assertEquals(images(early.batch(60, 1, 3)), images(new DigitsSteps(digits, 1).batch(60, 1, 3)));
        assertEquals(images(early.batch(3, 1, 3)), images(new DigitsSteps(digits, 1).batch(3, 1, 3)));
    }

    @Test
    void passesDifferAndSeedsDiffer() {
        var steps = new DigitsSteps(digits, 1);
        assertNotEquals(images(steps.batch(0, 0, 1)), images(steps.batch(STEPS_PER_PASS, 0, 1)));
        assertNotEquals(images(steps.batch(0, 0, 1)), images(new DigitsSteps(digits, 2).batch(0, 0, 1)));
        assertEquals(1, steps.batch(STEPS_PER_PASS, 0, 1).epoch());
    }

    @Test
    void aPassTakesNoImageTwice() {
        var steps = new DigitsSteps(digits, 1);
        var counts = new HashMap<String, Integer>();
        for (long step = 0; step < STEPS_PER_PASS; step++) {
            images(steps.batch(step, 0, 1)).forEach(image -> counts.merge(image, 1, Integer::sum));
        }
        images(digits.train()).forEach(image -> counts.computeIfPresent(image, (_, count) -> count - 1));
        assertEquals(
                List.of(),
                counts.values().stream().filter(count -> count > 0).toList(),
                "images taken more often than they are there");
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 1", "0, -1, 1", "0, 1, 1", "0, 0, 0", "0, 0, 65"})
    void whatIsNoStepIsRefused(long step, int rank, int worldSize) {
        var steps = new DigitsSteps(digits, 1);
        assertThrows(IllegalArgumentException.class, () -> steps.batch(step, rank, worldSize));
    }
}
