package io.hearth.bench;

import java.util.List;

/**
 * A mean and its confidence interval.
 *
 * @param mean of the samples
 * @param half half the width of the 95 % confidence interval around the mean, for normal samples (Student's t); NaN for a single sample
 */
public record Interval(double mean, double half) {
    private static final double CONFIDENCE = 0.95;

    /**
     * The interval of at least one sample.
     *
     * @param samples finite
     */
    static Interval of(List<Double> samples) {
        int n = samples.size();
        if (n == 0) {
            throw new IllegalArgumentException("need at least one sample");
        }
        double sum = 0;
        for (double sample : samples) {
            sum += sample;
        }
        double mean = sum / n;
        if (n == 1) {
            return new Interval(mean, Double.NaN);
        }
        double squares = 0;
        for (double sample : samples) {
            squares += (sample - mean) * (sample - mean);
        }
        double standardError = Math.sqrt(squares / (n - 1) / n);
        return new Interval(mean, StudentT.twoSided(CONFIDENCE, n - 1) * standardError);
    }
}
