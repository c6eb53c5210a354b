package io.hearth.bench;

import java.util.List;

/**
 * A mean and how sure it is.
 *
 * @param mean of the samples
 * @param half width of the interval around it that holds the true mean in 95 of 100 cases, if samples are normal (Student's t); NaN
 *     for one sample, which says nothing about it
 */
public record Interval(double mean, double half) {
    private static final double CONFIDENCE = 0.95;

    /**
     * Of at least one sample.
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
