package io.hearth.collective.choice;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a group saw of its sums of one size.
 *
 * @param nanosPerByte of the link, through one port; NaN until plain sums were seen
 * @param spent nanoseconds in all sums
 * @param lost nanoseconds of {@code spent} in trials, and by which sums with a new choice turned out slower than with another
 * @param sincePlain sums since a plain one
 * @param recent nanoseconds of the last sums with the present choice, the newest last, at most {@link #RECENT}
 * @param seen nanoseconds of a sum, plain ones first, then with each codec; NaN for those that were not seen on the link as it is now
 */
public record CodecTimes(
        double nanosPerByte, double spent, double lost, int sincePlain, List<Double> recent, List<Double> seen) {
    /** The median of so many sums is what a sum takes: one that had bad luck changes nothing, two in a row do. */
    public static final int RECENT = 3;

    /** Nobody waits longer for a sum: some 30 years. */
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
            throw new IllegalArgumentException("no times of sums: " + nanosPerByte + " ns a byte, " + lost + " of "
                    + spent + " ns lost, " + sincePlain + " sums since a plain one, " + recent + " and " + seen
                    + " ns seen");
        }
    }

    /** Of plain values and so many codecs, when nothing was seen. */
    static CodecTimes none(int codecs) {
        return new CodecTimes(Double.NaN, 0, 0, 0, List.of(), Collections.nCopies(1 + codecs, Double.NaN));
    }

    static boolean isTime(double nanos) {
        return nanos > 0 && nanos <= NANOS_MAX;
    }

    static boolean isTimeOrUnknown(double nanos) {
        return Double.isNaN(nanos) || isTime(nanos);
    }

    /** Of at least one. */
    static double median(List<Double> times) {
        var sorted = new ArrayList<>(times);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
