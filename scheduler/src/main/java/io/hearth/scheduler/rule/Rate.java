package io.hearth.scheduler.rule;

import java.util.OptionalDouble;

/**
 * How fast a node goes, from the samples that it reports.
 *
 * @param samples of the last report that counted
 * @param nanos when it came
 * @param perSecond 0 before the second report
 */
public record Rate(long samples, long nanos, double perSecond) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long SPAN_NANOS_MIN = 100_000_000;
    private static final double NEW_PART = 0.5;

    /** After the first report. */
    public static Rate begin(long samples, long nanos) {
        return new Rate(samples, nanos, 0);
    }

    /** After another report. Reports that follow sooner than 0.1 s are not looked at; fewer samples than before begin anew. */
    public Rate next(long newSamples, long newNanos) {
        if (newSamples < samples) {
            return begin(newSamples, newNanos);
        }
        if (newNanos - nanos < SPAN_NANOS_MIN) {
            return this;
        }
        double now = (newSamples - samples) / ((newNanos - nanos) / NANOS_PER_SECOND);
        return new Rate(newSamples, newNanos, perSecond == 0 ? now : perSecond + (now - perSecond) * NEW_PART);
    }

    /** Seconds until all samples are processed; empty while that is unknown. */
    public static OptionalDouble etaSeconds(long total, long processed, double perSecond) {
        if (total <= 0 || !(perSecond > 0)) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(Math.max(0, total - processed) / perSecond);
    }
}
