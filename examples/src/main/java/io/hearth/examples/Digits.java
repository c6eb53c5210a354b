package io.hearth.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * The 1,797 handwritten digits that come with Hearth: images of 8 x 8 pixels, 0 to 1, and their classes 0 to 9. Always split
 * into the same 1,617 to train on and 180 to test with.
 *
 * <p>Optical Recognition of Handwritten Digits, E. Alpaydin, C. Kaynak, UCI Machine Learning Repository, 1998, CC BY 4.0.
 *
 * @param train nine of ten samples
 * @param test the others
 */
public record Digits(Batch train, Batch test) {
    /** Number of pixels of an image. */
    public static final int PIXELS = 64;

    /** Number of different digits. */
    public static final int CLASSES = 10;

    private static final String RESOURCE = "digits.csv.gz";
    private static final int TEST_SAMPLES = 180;
    private static final float PIXEL_MAX = 16;
    private static final long SPLIT_SEED = 1998;

    /** Reads and splits the images. */
    public static Digits load() {
        Batch all = parse(lines());
        int[] order = Shuffle.order(all.size(), SPLIT_SEED);
        return new Digits(
                all.pick(order, TEST_SAMPLES, all.size() - TEST_SAMPLES, 0), all.pick(order, 0, TEST_SAMPLES, 0));
    }

    private static List<String> lines() {
        try (InputStream resource = Digits.class.getResourceAsStream(RESOURCE)) {
            if (resource == null) {
                throw new IllegalStateException(RESOURCE + " is missing from the class path: build Hearth again");
            }
            var text = new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.US_ASCII);
            return new BufferedReader(text).lines().toList();
        } catch (IOException damaged) {
            throw new UncheckedIOException(RESOURCE + " cannot be read: build Hearth again", damaged);
        }
    }

    private static Batch parse(List<String> lines) {
        float[] features = new float[lines.size() * PIXELS];
        int[] labels = new int[lines.size()];
        for (int sample = 0; sample < labels.length; sample++) {
            String[] numbers = lines.get(sample).split(",", -1);
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                features[sample * PIXELS + pixel] = Integer.parseInt(numbers[pixel]) / PIXEL_MAX;
            }
            labels[sample] = Integer.parseInt(numbers[PIXELS]);
        }
        return new Batch(PIXELS, features, labels, 0);
    }
}
