package io.hearth.accel;

import java.util.Arrays;

/**
 * How many values have magnitudes in which range: one digit of a radix selection. Magnitudes are the 31 bits of float32 values
 * below the sign, which order as the magnitudes do. Filled by {@link CodecKernels#histogram}, call after call.
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

    /** How many ranges there are, the one from {@code high} on not counted. */
    public static final int BUCKETS = 1 << BUCKET_BITS;

    /** Above all magnitudes. */
    public static final long HIGH_MAX = 1L << (Integer.SIZE - 1);

    /** Values that CPU engines look at in one go, in the first-level cache. */
    public static final int RUN = 4096;

    private final long[] counts = new long[BUCKETS + 1];
    private final int[] places = new int[RUN + CodecKernels.SELECT_SLACK];
    private int low;
    private long high;
    private int shift;
    private int largest;

    /** An empty one that counts nothing but the largest magnitudes; {@link #begin} says what it counts. */
    public MagnitudeHistogram() {
        begin(0, 0, 0);
    }

    /**
     * Forgets all and counts in other ranges.
     *
     * @param low the least magnitude that is counted, at least 0
     * @param high the least one that {@link #beyond} counts: {@code low} to {@code low + 2^(13 + shift)}, at most {@link #HIGH_MAX}
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

    /** How many values fell into a bucket, from 0 on. */
    public long count(int bucket) {
        return counts[bucket];
    }

    /** How many had at least {@code high}. */
    public long beyond() {
        return counts[BUCKETS];
    }

    /** The largest magnitude that was counted, 0 if none was. */
    public int largest() {
        return largest;
    }

    /** How many values were counted in all. */
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

    /** For {@link CodecKernels#select} of {@link #RUN} values. */
    public int[] places() {
        return places;
    }

    /** Counts a magnitude of at least {@code low}. */
    public void add(int magnitude) {
        largest = Math.max(largest, magnitude);
        counts[magnitude >= high ? BUCKETS : (magnitude - low) >>> shift]++;
    }

    /** Takes over what somebody else counted in the same ranges; {@link #BUCKETS} is the bucket from {@code high} on. */
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

    /** For kernels: a magnitude that may be the largest; it is not counted. */
    public void largest(int magnitude) {
        largest = Math.max(largest, magnitude);
    }
}
