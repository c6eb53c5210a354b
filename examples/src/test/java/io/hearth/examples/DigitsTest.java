package io.hearth.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

final class DigitsTest {
    /** The split of the first release: with another split, accuracies could not be compared. */
    private static final int[] FIRST_TEST_LABELS = {9, 7, 4, 6, 8, 1, 4, 8, 0, 4};

    private final Digits digits = Digits.load();

    @Test
    void nineOfTenAreToTrainOn() {
        assertEquals(1617, digits.train().size());
        assertEquals(180, digits.test().size());
        assertEquals(Digits.PIXELS, digits.train().width());
    }

    @Test
    void everyImageIsOnOneSideOnly() {
        var seen = new HashSet<String>();
        for (Batch side : new Batch[] {digits.train(), digits.test()}) {
            for (int sample = 0; sample < side.size(); sample++) {
                seen.add(image(side, sample));
            }
        }
        assertEquals(1797, seen.size());
    }

    @Test
    void pixelsAreFromZeroToOneAndAllDigitsAreOnBothSides() {
        for (Batch side : new Batch[] {digits.train(), digits.test()}) {
            int[] counts = new int[Digits.CLASSES];
            for (int sample = 0; sample < side.size(); sample++) {
                counts[side.label(sample)]++;
                for (int pixel = 0; pixel < Digits.PIXELS; pixel++) {
                    float value = side.feature(sample, pixel);
                    assertTrue(value >= 0 && value <= 1, "pixel " + value);
                }
            }
            for (int count : counts) {
                assertTrue(count >= side.size() / 20, count + " samples of a digit among " + side.size());
            }
        }
    }

    @Test
    void theSplitIsTheSameEachTime() {
        Batch again = Digits.load().test();
        for (int sample = 0; sample < again.size(); sample++) {
            assertEquals(image(digits.test(), sample), image(again, sample));
        }
        int[] firstLabels = new int[10];
        for (int sample = 0; sample < firstLabels.length; sample++) {
            firstLabels[sample] = digits.test().label(sample);
        }
        assertArrayEquals(FIRST_TEST_LABELS, firstLabels);
    }

    @Test
    void theAuthorsAreNamedBesideTheData() throws Exception {
        try (InputStream text = Digits.class.getResourceAsStream("digits.ATTRIBUTION.txt")) {
            assertNotNull(text);
            String attribution = new String(text.readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(attribution.contains("E. Alpaydin, C. Kaynak") && attribution.contains("CC BY 4.0"));
        }
    }

    private static String image(Batch batch, int sample) {
        var pixels = new StringBuilder();
        for (int pixel = 0; pixel < batch.width(); pixel++) {
            pixels.append(batch.feature(sample, pixel)).append(' ');
        }
        return pixels.append(batch.label(sample)).toString();
    }
}
