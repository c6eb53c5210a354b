package io.hearth.simulation.report;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A histogram of delays. The bounds of its buckets grow by a tenth, so that the delays of many worlds add up in little memory.
 *
 * @param counts by the number of the bucket
 */
public record Delays(SortedMap<Integer, Long> counts) {
    static final Delays NONE = new Delays(new TreeMap<>());

    private static final double GROWTH = 1.1;
    private static final double MILLI = 1e6;

    public Delays {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    /** The number of the bucket for a delay; delays below a millisecond are one. */
    static int bucket(long nanos) {
        return (int) Math.round(Math.log(Math.max(1, nanos / MILLI)) / Math.log(GROWTH));
    }

    Delays plus(Delays other) {
        var sums = new TreeMap<>(counts);
        other.counts.forEach((bucket, count) -> sums.merge(bucket, count, Long::sum));
        return new Delays(sums);
    }

    /** The number of delays. */
    public long count() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The delay that {@code share} of all are no longer than, within a tenth; 0 if there is none. */
    public long quantileMillis(double share) {
        long rank = (long) Math.ceil(share * count());
        long seen = 0;
        for (Map.Entry<Integer, Long> entry : counts.entrySet()) {
            seen += entry.getValue();
            if (seen >= rank) {
                return Math.round(Math.pow(GROWTH, entry.getKey()));
            }
        }
        return 0;
    }
}
