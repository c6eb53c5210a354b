package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.format.Float32;

/**
 * The magnitude that exactly the wanted number of values reach, found in O(n) without sorting them.
 *
 * <p>Magnitudes of finite floats order as their 31 bits do, so a radix selection works (MSD radix select; Knuth, TAOCP 3, 5.2.5): a
 * histogram gives the bucket in which the wanted magnitude lies, and the next histogram divides that bucket. A sample gives a lower bound
 * that few values reach; only those are counted. If the sample misleads, all are.
 *
 * @param bits values with larger magnitude bits are kept
 * @param ties number of values of exactly that magnitude that are kept too: those with the lower index
 * @param kept number of kept values in all
 * @param largest magnitude bits of the largest value, finite
 */
public record MagnitudeThreshold(int bits, long ties, long kept, int largest) {
    private static final int WHOLE_SHIFT = Integer.SIZE - 1 - MagnitudeHistogram.BUCKET_BITS;

    /** Four octaves: values that exceed a lower bound by more than that are rare. */
    private static final int NEAR_SHIFT = 25 - MagnitudeHistogram.BUCKET_BITS;

    /** Enough that few values beyond the wanted ones reach the bound; few enough that sampling costs little compared with a pass. */
    private static final int SAMPLES_MAX = 8192;

    private static final int VALUES_PER_SAMPLE = 32;
    private static final int SAMPLES_MIN = 64;

    /** The golden ratio's share of 2^64: its multiples are spread evenly (Knuth, TAOCP 3, 6.4). */
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;

    /**
     * The threshold that keeps exactly {@code kept} of {@code count} values, in two passes or a few more.
     *
     * @param kept 1 to {@code count}
     * @throws NonFiniteException if a value is NaN or infinite
     */
    public static MagnitudeThreshold of(CodecKernels kernels, Source source, long count, long kept)
            throws NonFiniteException {
        return of(kernels, source, count, kept, lowerBound(source, count, kept));
    }

    private static MagnitudeThreshold of(CodecKernels kernels, Source source, long count, long kept, int lowest)
            throws NonFiniteException {
        int low = lowest;
        int shift = low > 0 ? NEAR_SHIFT : WHOLE_SHIFT;
        long high = Math.min(MagnitudeHistogram.HIGH_MAX, low + (1L << (MagnitudeHistogram.BUCKET_BITS + shift)));
        var histogram = new MagnitudeHistogram();
        while (true) {
            histogram.begin(low, high, shift);
            count(kernels, source, count, histogram);
            long wanted = kept - histogram.beyond();
            if (wanted <= 0) {
                low = (int) high; // below infinity: no finite value lies beyond infinity
                high = MagnitudeHistogram.HIGH_MAX;
                shift = WHOLE_SHIFT;
                continue;
            }
            int bucket = MagnitudeHistogram.BUCKETS - 1;
            while (bucket >= 0 && histogram.count(bucket) < wanted) {
                wanted -= histogram.count(bucket--);
            }
            if (bucket < 0) {
                low = 0;
                high = MagnitudeHistogram.HIGH_MAX;
                shift = WHOLE_SHIFT;
                continue;
            }
            low += bucket << shift;
            int largest = histogram.largest();
            if (shift == 0 || histogram.count(bucket) == wanted) {
                // A bucket that is kept whole needs no further search: none of its values is left out.
                return shift == 0
                        ? new MagnitudeThreshold(low, wanted, kept, largest)
                        : new MagnitudeThreshold(low - 1, 0, kept, largest);
            }
            high = low + (1L << shift);
            shift = Math.max(0, shift - MagnitudeHistogram.BUCKET_BITS);
        }
    }

    /**
     * Keeps all values whose magnitude is at least {@code leastBits}, however many there are.
     *
     * @throws NonFiniteException if a value is NaN or infinite
     */
    public static MagnitudeThreshold from(CodecKernels kernels, Source source, long count, int leastBits)
            throws NonFiniteException {
        var histogram = new MagnitudeHistogram();
        histogram.begin(leastBits, leastBits, 0);
        count(kernels, source, count, histogram);
        return new MagnitudeThreshold(leastBits - 1, 0, histogram.beyond(), histogram.largest());
    }

    /** The least magnitude bits, for {@link CodecKernels#select}. */
    public int leastBits() {
        return ties > 0 ? bits : bits + 1;
    }

    /** A magnitude that more than {@code kept} values reach, if the sample is like the rest; 0 if the sample is too small. */
    static int lowerBound(Source source, long count, long kept) {
        int samples = (int) Math.min(SAMPLES_MAX, count / VALUES_PER_SAMPLE);
        double expected = (double) kept / count * samples;
        int rank = (int) (expected + 3 * Math.sqrt(expected) + 4);
        if (samples < SAMPLES_MIN || rank > samples / 2) {
            return 0;
        }
        int[] sample = new int[samples];
        long stride = count / samples;
        for (int i = 0; i < samples; i++) {
            sample[i] = Float.floatToRawIntBits(source.value(sampled(i, stride))) & Float32.MAGNITUDE_MASK;
        }
        return Math.min(select(sample, samples, samples - rank), Float32.INFINITY_BITS);
    }

    /** The index of sample {@code i}, scattered within its stride: values may repeat with a period, as the columns of a matrix do. */
    static long sampled(int i, long stride) {
        return i * stride + Math.unsignedMultiplyHigh(i * GOLDEN, stride);
    }

    private static NonFiniteException nonFinite(Source source, long from) {
        long index = from;
        while (Float.isFinite(source.value(index))) {
            index++;
        }
        return new NonFiniteException(index, source.value(index));
    }

    /** The value that would be at {@code place} if the first {@code length} were sorted (Hoare's FIND, CACM 4, 1961); reorders them. */
    static int select(int[] sample, int length, int place) {
        int low = 0;
        int high = length - 1;
        while (low < high) {
            int pivot = sample[place];
            int i = low;
            int j = high;
            while (i <= j) {
                while (sample[i] < pivot) {
                    i++;
                }
                while (sample[j] > pivot) {
                    j--;
                }
                if (i <= j) {
                    int swapped = sample[i];
                    sample[i++] = sample[j];
                    sample[j--] = swapped;
                }
            }
            low = j < place ? i : low;
            high = place < i ? j : high;
        }
        return sample[place];
    }

    /** Counts all values, run by run. */
    private static void count(CodecKernels kernels, Source source, long count, MagnitudeHistogram histogram)
            throws NonFiniteException {
        int run = kernels.run(KernelKind.HISTOGRAM_FLOAT32, count);
        for (long done = 0; done < count; done += run) {
            int n = (int) Math.min(run, count - done);
            long at = source.make(done, n);
            kernels.histogram(source.run(), at, n, histogram);
            if (histogram.largest() >= Float32.INFINITY_BITS) {
                throw nonFinite(source, done);
            }
        }
    }
}
