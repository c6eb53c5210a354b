package io.hearth.topology.bandwidth;

import java.util.OptionalLong;

/**
 * The rate of one direction from several measurements. A busy processor, or other traffic, makes a measurement too low, and hardly anything makes
 * one too high. So a higher one counts at once, a much lower one only if the next one confirms it, and a lower one moves the rate a little.
 *
 * @param bytesPerSecond the estimate; 0 before the first measurement
 * @param doubtful a much lower measurement that is not confirmed; 0 without one
 */
public record RateEstimate(long bytesPerSecond, long doubtful) {
    /** Before the first measurement. */
    public static final RateEstimate NONE = new RateEstimate(0, 0);

    private static final double MUCH_HIGHER = 1.25;

    private static final double MUCH_LOWER = 0.8;
    private static final double ALIKE = 0.7;
    private static final int SMOOTHING = 8;

    public RateEstimate {
        if (bytesPerSecond < 0 || doubtful < 0) {
            throw new IllegalArgumentException("rates must be 0 or more, got " + bytesPerSecond + " and " + doubtful);
        }
    }

    /** With one more measurement, above 0. */
    public RateEstimate with(long sample) {
        double ratio = (double) sample / (double) bytesPerSecond; // infinite for the first one
        if (ratio >= 1) {
            return new RateEstimate(sample, 0);
        }
        if (ratio >= MUCH_LOWER) {
            return new RateEstimate(bytesPerSecond + (sample - bytesPerSecond) / SMOOTHING, 0);
        }
        long lower = Math.min(sample, doubtful);
        long higher = Math.max(sample, doubtful);
        boolean isConfirmed = (double) lower >= ALIKE * (double) higher;
        return isConfirmed ? new RateEstimate(higher, 0) : new RateEstimate(bytesPerSecond, sample);
    }

    /** Whether the newest measurement shows that the rate was not known. */
    public boolean isMuchHigherThan(RateEstimate former) {
        return (double) bytesPerSecond >= MUCH_HIGHER * (double) former.bytesPerSecond;
    }

    /** Whether the next measurement decides about a much lower rate. */
    public boolean isDoubtful() {
        return doubtful > 0;
    }

    /** The rate; empty before the first measurement. */
    public OptionalLong rate() {
        return bytesPerSecond == 0 ? OptionalLong.empty() : OptionalLong.of(bytesPerSecond);
    }
}
