package io.hearth.bench;

import io.hearth.core.SetupException;
import io.hearth.examples.Batch;
import io.hearth.examples.Shuffle;
import java.nio.file.Path;

/** Labelled images of handwritten digits, 28 x 28 bytes each, as in the files of MNIST. Threads may share it. */
public final class MnistImages {
    static final int PIXELS = 28 * 28;
    static final int CLASSES = 10;

    /** Bounds the memory; MNIST has fewer images. */
    static final int COUNT_MAX = 100_000;

    private static final int SIDE = 28;
    private static final float PIXEL_MAX = 255;
    private static final int TEST_SHARE = 5;

    private final byte[] pixels;
    private final byte[] labels;

    private MnistImages(byte[] pixels, byte[] labels) {
        this.pixels = pixels;
        this.labels = labels;
    }

    /**
     * Reads both files, gzip or plain.
     *
     * @param images IDX file of 28 x 28 bytes each, at most 100,000
     * @param labels IDX file with one byte for each image, 0 to 9
     * @throws SetupException a file is missing or damaged, or they do not fit together; the message says why
     */
    public static MnistImages read(Path images, Path labels) throws SetupException {
        byte[] pixels = IdxFile.read(images, "images", COUNT_MAX, SIDE, SIDE);
        byte[] classes = IdxFile.read(labels, "labels", COUNT_MAX);
        int count = pixels.length / PIXELS;
        if (classes.length != count) {
            throw new SetupException(images + " holds " + count + " images and " + labels + " " + classes.length
                    + " labels; name two files that belong together");
        }
        for (int i = 0; i < count; i++) {
            if (classes[i] < 0 || classes[i] >= CLASSES) {
                throw new SetupException(labels + ": label " + i + " is " + (classes[i] & 0xff)
                        + ", not 0 to 9; name a file with labels of handwritten digits");
            }
        }
        if (count / TEST_SHARE == 0 || count - count / TEST_SHARE < ConvergenceRun.GLOBAL_BATCH) {
            throw new SetupException(
                    images + " holds " + count + " images, which is too few: four fifths of them must fill one step of "
                            + ConvergenceRun.GLOBAL_BATCH + "; name a larger file");
        }
        return new MnistImages(pixels, classes);
    }

    /** Number of images. */
    public int count() {
        return labels.length;
    }

    /**
     * The images for training and those for testing; no image is in both.
     *
     * @param train four fifths of the images
     * @param test the other images
     */
    record Split(Batch train, Batch test) {}

    /** Splits the images in an order that depends on the seed only. Pixels become values from 0 to 1. */
    Split split(long seed) {
        int[] order = Shuffle.order(count(), seed);
        int test = count() / TEST_SHARE;
        return new Split(pick(order, test, count() - test), pick(order, 0, test));
    }

    private Batch pick(int[] order, int from, int samples) {
        float[] features = new float[samples * PIXELS];
        int[] classes = new int[samples];
        for (int sample = 0; sample < samples; sample++) {
            int image = order[from + sample];
            for (int pixel = 0; pixel < PIXELS; pixel++) {
                features[sample * PIXELS + pixel] = (pixels[image * PIXELS + pixel] & 0xff) / PIXEL_MAX;
            }
            classes[sample] = labels[image];
        }
        return new Batch(PIXELS, features, classes, 0);
    }
}
