package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The measured times of a group's sums of one size.
 *
 * @param nanosPerByte of the link, through one port; NaN until plain sums were measured
 * @param spent nanoseconds of all sums
 * @param lost nanoseconds of {@code spent} in trials, plus the excess time of sums with a new choice that was slower than another one
 * @param sincePlain number of sums since a plain one
 * @param recent nanoseconds of the last sums with the present choice, the newest last, at most {@link #RECENT}
 * @param seen nanoseconds of a sum, plain ones first, then with each codec; NaN if not measured on the present link
 */
public record CodecTimes(
        double nanosPerByte, double spent, double lost, int sincePlain, List<Double> recent, List<Double> seen) {
    /** Number of sums whose median counts as the time of a sum: one slow outlier changes nothing, two in a row do. */
    public static final int RECENT = 3;

    /** Upper limit of a valid time: some 30 years. */
    private static final double NANOS_MAX = 1e18;

    public CodecTimes {
        recent = List.copyOf(recent);
        seen = List.copyOf(seen);
        boolean areTimes = isTimeOrUnknown(nanosPerByte)
                && CodecCost.isCost(spent)
                && CodecCost.isCost(lost)
                && recent.stream().allMatch(CodecTimes::isTime)
                && seen.stream().allMatch(CodecTimes::isTimeOrUnknown);
        if (!areTimes || sincePlain < 0 || recent.size() > RECENT || seen.isEmpty()) {
            throw new IllegalArgumentException(
                    "times must be positive or NaN, sums and counts 0 or more, recent at most " + RECENT
                            + " and seen not empty; got nanosPerByte " + nanosPerByte + ", spent " + spent + ", lost "
                            + lost + ", sincePlain " + sincePlain + ", recent " + recent + " and seen " + seen);
        }
    }

    /** Times of plain values and {@code codecs} codecs before any measurement. */
    static CodecTimes none(int codecs) {
        return new CodecTimes(Double.NaN, 0, 0, 0, List.of(), Collections.nCopies(1 + codecs, Double.NaN));
    }

    static boolean isTime(double nanos) {
        return nanos > 0 && nanos <= NANOS_MAX;
    }

    static boolean isTimeOrUnknown(double nanos) {
        return Double.isNaN(nanos) || isTime(nanos);
    }

    /** The median of at least one time. */
    static double median(List<Double> times) {
        var sorted = new ArrayList<>(times);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
