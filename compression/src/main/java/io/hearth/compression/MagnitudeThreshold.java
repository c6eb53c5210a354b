package io.hearth.compression;

import java.lang.foreign.MemorySegment;

/**
 * The magnitude above which exactly the wanted number of values lies, found in O(n) without sorting.
 *
 * <p>Magnitudes of finite floats order as their 31 bits do. So a radix selection works: a histogram of the upper 11 bits tells
 * in which bucket the wanted one lies, a second and third pass over that bucket's members settle the next 10 and the last 10
 * bits (MSD radix select; Knuth, TAOCP 3, 5.2.5).
 *
 * @param bits magnitude bits of the smallest value that is kept
 * @param ties how many values of exactly that magnitude are kept; of more, those with the lower index
 */
record MagnitudeThreshold(int bits, long ties) {
    private static final int FIRST_BUCKETS = 1 << 11;
    private static final int NEXT_BITS = 10;
    private static final int NEXT_BUCKETS = 1 << NEXT_BITS;
    private static final int FIRST_SHIFT = 2 * NEXT_BITS;

    /**
     * The threshold that keeps exactly {@code kept} of {@code count} values.
     *
     * @param kept 1 to {@code count}
     * @throws NonFiniteException if a value is NaN or infinite
     */
    static MagnitudeThreshold of(MemorySegment values, long count, long kept) throws NonFiniteException {
        long[] counts = firstHistogram(values, count);
        checkFinite(values, count, counts);
        Bucket bucket = Bucket.holding(counts, kept);
        int prefix = bucket.index();
        for (int shift = NEXT_BITS; shift >= 0; shift -= NEXT_BITS) {
            bucket = Bucket.holding(nextHistogram(values, count, prefix, shift), bucket.wanted());
            prefix = prefix << NEXT_BITS | bucket.index();
        }
        return new MagnitudeThreshold(prefix, bucket.wanted());
    }

    /** The bucket in which the wanted value lies, and how many of its members are wanted. */
    private record Bucket(int index, long wanted) {
        static Bucket holding(long[] counts, long wanted) {
            int index = counts.length - 1;
            long left = wanted;
            while (counts[index] < left) {
                left -= counts[index--];
            }
            return new Bucket(index, left);
        }
    }

    private static long[] firstHistogram(MemorySegment values, long count) {
        long[] counts = new long[FIRST_BUCKETS];
        int[] bits = new int[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.loadBits(values, done, bits, n);
            for (int i = 0; i < n; i++) {
                counts[(bits[i] & Float32.MAGNITUDE_MASK) >>> FIRST_SHIFT]++;
            }
        }
        return counts;
    }

    private static long[] nextHistogram(MemorySegment values, long count, int prefix, int shift) {
        long[] counts = new long[NEXT_BUCKETS];
        int[] bits = new int[Float32.BLOCK];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.loadBits(values, done, bits, n);
            for (int i = 0; i < n; i++) {
                int upper = (bits[i] & Float32.MAGNITUDE_MASK) >>> shift;
                if (upper >>> NEXT_BITS == prefix) {
                    counts[upper & (NEXT_BUCKETS - 1)]++;
                }
            }
        }
        return counts;
    }

    private static void checkFinite(MemorySegment values, long count, long[] counts) throws NonFiniteException {
        for (int bucket = Float32.INFINITY_BITS >>> FIRST_SHIFT; bucket < FIRST_BUCKETS; bucket++) {
            if (counts[bucket] > 0) {
                throw firstNonFinite(values, count);
            }
        }
    }

    private static NonFiniteException firstNonFinite(MemorySegment values, long count) {
        for (long i = 0; i < count; i++) {
            float value = values.get(Float32.FLOAT, i * Float.BYTES);
            if (!Float.isFinite(value)) {
                return new NonFiniteException(i, value);
            }
        }
        throw new AssertionError("the histogram saw a value that is not finite");
    }
}
