package io.hearth.accel;

import java.util.Arrays;

/**
 * Counts of values by ranges of magnitude: one digit of a radix selection. A magnitude is the 31 bits of a float32 below the sign; they
 * order as the numbers do. Calls of {@link CodecKernels#histogram} fill it.
 *
 * <pre>
 * below low | bucket 0 | bucket 1 | … | from high on
 *           low        low + 2^shift   high
 * not counted                          beyond()
 * </pre>
 *
 * <p>Used by one thread at a time; about 80 KiB.
 */
public final class MagnitudeHistogram {
    /** Bits of a digit. */
    public static final int BUCKET_BITS = 13;

    /** Number of ranges, without the one from {@code high} on. */
    public static final int BUCKETS = 1 << BUCKET_BITS;

    /** A bound above all magnitudes. */
    public static final long HIGH_MAX = 1L << (Integer.SIZE - 1);

    /** Values of one pass of a CPU engine, which stay in the first-level cache. */
    public static final int RUN = 4096;

    private final long[] counts = new long[BUCKETS + 1];
    private final int[] places = new int[RUN + CodecKernels.SELECT_SLACK];
    private int low;
    private long high;
    private int shift;
    private int largest;

    /** Makes an empty histogram that only records the largest magnitude; {@link #begin} sets the ranges. */
    public MagnitudeHistogram() {
        begin(0, 0, 0);
    }

    /**
     * Clears all counts and sets other ranges.
     *
     * @param low the least magnitude that is counted, at least 0
     * @param high the least magnitude that {@link #beyond} counts: {@code low} to {@code low + 2^(13 + shift)}, at most {@link #HIGH_MAX}
     * @param shift a bucket has {@code 2^shift} magnitudes, 0 to 18
     */
    public void begin(int low, long high, int shift) {
        if (low < 0 || shift < 0 || shift > Integer.SIZE - 1 - BUCKET_BITS) {
            throw new IllegalArgumentException("need low >= 0 and a shift from 0 to 18, got " + low + " and " + shift);
        }
        if (high < low || high > Math.min(HIGH_MAX, low + (1L << (BUCKET_BITS + shift)))) {
            throw new IllegalArgumentException(
                    "need high within " + BUCKETS + " buckets of 2^" + shift + " from " + low + ", got " + high);
        }
        this.low = low;
        this.high = high;
        this.shift = shift;
        largest = 0;
        Arrays.fill(counts, 0);
    }

    /** Number of values in a bucket, from 0 on. */
    public long count(int bucket) {
        return counts[bucket];
    }

    /** Number of values from {@code high} on. */
    public long beyond() {
        return counts[BUCKETS];
    }

    /** The largest magnitude that was counted, 0 if none was. */
    public int largest() {
        return largest;
    }

    /** Number of all counted values. */
    public long counted() {
        return Arrays.stream(counts).sum();
    }

    public int low() {
        return low;
    }

    public long high() {
        return high;
    }

    public int shift() {
        return shift;
    }

    /** Scratch memory for {@link CodecKernels#select} of {@link #RUN} values. */
    public int[] places() {
        return places;
    }

    /** Counts a magnitude of at least {@code low}. */
    public void add(int magnitude) {
        largest = Math.max(largest, magnitude);
        counts[magnitude >= high ? BUCKETS : (magnitude - low) >>> shift]++;
    }

    /** Adds a count that a GPU made in the same ranges; {@link #BUCKETS} is the bucket from {@code high} on. */
    public void add(int bucket, long count) {
        counts[bucket] += count;
    }

    /** Whether both counted the same in the same ranges. */
    public boolean sameAs(MagnitudeHistogram other) {
        return low == other.low
                && high == other.high
                && shift == other.shift
                && largest == other.largest
                && Arrays.equals(counts, other.counts);
    }

    /** Records a magnitude that may be the largest, without counting it. */
    public void largest(int magnitude) {
        largest = Math.max(largest, magnitude);
    }
}
