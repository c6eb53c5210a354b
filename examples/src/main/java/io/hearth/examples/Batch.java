package io.hearth.examples;

/** Some labelled samples: one training step's share, or a whole data set. */
public final class Batch {
    private final int width;
    private final float[] features;
    private final int[] labels;
    private final int epoch;

    /**
     * Takes over both arrays.
     *
     * @param width features per sample, at least 1
     * @param features one sample after the other, {@code width * labels.length} of them; kept
     * @param labels classes counted from 0; kept
     * @param epoch number of the pass over the data, counted from 0
     */
    public Batch(int width, float[] features, int[] labels, int epoch) {
        if (width < 1 || features.length != (long) width * labels.length) {
            throw new IllegalArgumentException(
                    "need " + width + " features for each of " + labels.length + " labels, got " + features.length);
        }
        this.width = width;
        this.features = features;
        this.labels = labels;
        this.epoch = epoch;
    }

    /** Number of samples. */
    public int size() {
        return labels.length;
    }

    /** Features per sample. */
    public int width() {
        return width;
    }

    /** Number of the pass over the data, counted from 0. */
    public int epoch() {
        return epoch;
    }

    /** One feature of one sample. */
    public float feature(int sample, int index) {
        return features[sample * width + index];
    }

    /** The class of a sample. */
    public int label(int sample) {
        return labels[sample];
    }

    /**
     * The samples {@code order[from]} to {@code order[from + count - 1]}, copied.
     *
     * @param order indices of samples, usually from {@link Shuffle}; borrowed
     * @param from first index in {@code order}
     * @param count number of samples
     * @param ofEpoch number of the pass over the data that the new batch belongs to
     */
    public Batch pick(int[] order, int from, int count, int ofEpoch) {
        float[] picked = new float[count * width];
        int[] pickedLabels = new int[count];
        for (int i = 0; i < count; i++) {
            System.arraycopy(features, order[from + i] * width, picked, i * width, width);
            pickedLabels[i] = labels[order[from + i]];
        }
        return new Batch(width, picked, pickedLabels, ofEpoch);
    }
}
