package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The magnitude above which exactly the wanted number of values lies, found in O(n) without sorting them.
 *
 * <p>Magnitudes of finite floats order as their 31 bits do, so a radix selection works (MSD radix select; Knuth, TAOCP 3, 5.2.5):
 * a histogram tells in which bucket the wanted one lies, the next one looks into that bucket. A sample gives a lower bound that few
 * values reach; only those are counted. Should the sample mislead, all are.
 *
 * @param bits magnitude bits below those of the values that are kept
 * @param ties how many values of exactly that magnitude are kept too; of more, those with the lower index
 * @param kept how many are kept in all
 * @param largest magnitude bits of the largest value, finite
 */
record MagnitudeThreshold(int bits, long ties, long kept, int largest) {
    /** Values per call of the kernel, and so the length of its table of places. */
    static final int CHUNK = 4096;

    private static final int BUCKET_BITS = 13;
    private static final int BUCKETS = 1 << BUCKET_BITS;
    private static final long BEYOND = 1L << (Integer.SIZE - 1);
    private static final int WHOLE_SHIFT = Integer.SIZE - 1 - BUCKET_BITS;

    /** Four octaves: what reaches beyond a lower bound by more than that is rare. */
    private static final int NEAR_SHIFT = 25 - BUCKET_BITS;

    /** So many that few values beyond those wanted reach the bound, so few that sampling costs little beside the passes. */
    private static final int SAMPLES_MAX = 8192;

    private static final int VALUES_PER_SAMPLE = 32;
    private static final int SAMPLES_MIN = 64;

    /** For {@link CodecKernels#select} of a chunk. */
    static int[] places() {
        return new int[CHUNK + CodecKernels.SELECT_SLACK];
    }

    /**
     * The threshold that keeps exactly {@code kept} of {@code count} values, all of which are made.
     *
     * @param kept 1 to {@code count}
     * @throws NonFiniteException if a value is NaN or infinite
     */
    static MagnitudeThreshold of(Source source, long count, long kept) throws NonFiniteException {
        long low = lowerBound(source, count, kept);
        int shift = low > 0 ? NEAR_SHIFT : WHOLE_SHIFT;
        long high = Math.min(BEYOND, low + (1L << (BUCKET_BITS + shift)));
        int[] places = places();
        long[] counts = new long[BUCKETS + 1];
        Source made = source;
        while (true) {
            Arrays.fill(counts, 0);
            int largest = count(made, count, low, high, shift, counts, places);
            made = Source.of(source.values());
            long wanted = kept - counts[BUCKETS];
            if (wanted <= 0) {
                low = high;
                high = BEYOND;
                shift = WHOLE_SHIFT;
                continue;
            }
            int bucket = BUCKETS - 1;
            while (bucket >= 0 && counts[bucket] < wanted) {
                wanted -= counts[bucket--];
            }
            if (bucket < 0) {
                low = 0;
                high = BEYOND;
                shift = WHOLE_SHIFT;
                continue;
            }
            low += (long) bucket << shift;
            if (shift == 0 || counts[bucket] == wanted) {
                // A bucket that is kept whole need not be looked into: no value of it is left out, whatever its
                // magnitude.
                return shift == 0
                        ? new MagnitudeThreshold((int) low, wanted, kept, largest)
                        : new MagnitudeThreshold((int) low - 1, 0, kept, largest);
            }
            high = low + (1L << shift);
            shift = Math.max(0, shift - BUCKET_BITS);
        }
    }

    /**
     * Keeps all values whose magnitude is at least {@code leastBits}, however many there are; all values are made.
     *
     * @throws NonFiniteException if a value is NaN or infinite
     */
    static MagnitudeThreshold from(Source source, long count, int leastBits) throws NonFiniteException {
        long[] counts = new long[BUCKETS + 1];
        int largest = count(source, count, leastBits, leastBits, 0, counts, places());
        return new MagnitudeThreshold(leastBits - 1, 0, counts[BUCKETS], largest);
    }

    /** What {@link CodecKernels#select} has to look for. */
    int leastBits() {
        return ties > 0 ? bits : bits + 1;
    }

    /** A magnitude that more than {@code kept} values reach, if the sample is like the rest; 0 if it cannot tell. */
    private static long lowerBound(Source source, long count, long kept) {
        int samples = (int) Math.min(SAMPLES_MAX, count / VALUES_PER_SAMPLE);
        double expected = (double) kept / count * samples;
        int rank = (int) (expected + 3 * Math.sqrt(expected) + 4);
        if (samples < SAMPLES_MIN || rank > samples / 2) {
            return 0;
        }
        int[] sample = new int[samples];
        long stride = count / samples;
        for (int i = 0; i < samples; i++) {
            sample[i] = Float.floatToRawIntBits(source.value(i * stride + i % stride)) & Float32.MAGNITUDE_MASK;
        }
        return Math.min(select(sample, samples - rank), Float32.INFINITY_BITS);
    }

    /** What would stand at {@code place} if they were sorted (Hoare's FIND, CACM 4, 1961); reorders them. */
    static int select(int[] sample, int place) {
        int low = 0;
        int high = sample.length - 1;
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

    /**
     * Makes all values and counts those from {@code low} on: one bucket per {@code 1 << shift} magnitudes, the last for those from
     * {@code high} on. The largest magnitude, 0 if none is so large.
     */
    private static int count(Source source, long count, long low, long high, int shift, long[] counts, int[] places)
            throws NonFiniteException {
        MemorySegment values = source.values();
        int largest = 0;
        for (long done = 0; done < count; done += CHUNK) {
            int n = (int) Math.min(CHUNK, count - done);
            source.make(done, n);
            int found = Float32.KERNELS.select(values, done * Float.BYTES, n, (int) low, places);
            for (int i = 0; i < found; i++) {
                long offset = (done + places[i]) * Float.BYTES;
                int magnitude = values.get(Float32.BITS, offset) & Float32.MAGNITUDE_MASK;
                if (magnitude >= Float32.INFINITY_BITS) {
                    throw new NonFiniteException(done + places[i], values.get(Float32.FLOAT, offset));
                }
                largest = Math.max(largest, magnitude);
                counts[magnitude >= high ? BUCKETS : (int) ((magnitude - low) >>> shift)]++;
            }
        }
        return largest;
    }
}
