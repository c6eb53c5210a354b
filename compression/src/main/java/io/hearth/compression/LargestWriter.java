package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.MemorySegment;

/** Writes the largest of some values as {@link Sparse}. One call long. */
final class LargestWriter {
    private final MemorySegment values;
    private final long count;
    private final int[] places;

    LargestWriter(MemorySegment values, long count) {
        this.values = values;
        this.count = count;
        places = new int[(int) Math.min(MagnitudeThreshold.CHUNK, count) + CodecKernels.SELECT_SLACK];
    }

    /**
     * The threshold that keeps exactly so many.
     *
     * @param kept 1 to the number of values
     */
    MagnitudeThreshold threshold(long kept) throws NonFiniteException {
        return MagnitudeThreshold.of(values, count, kept, places);
    }

    /** Writes what {@code threshold} keeps, {@code kept} values; the size. */
    long write(MagnitudeThreshold threshold, long kept, MemorySegment encoded) {
        var writer = new Sparse.Writer(encoded, count, kept);
        long ties = threshold.ties();
        for (long done = 0; done < count; done += MagnitudeThreshold.CHUNK) {
            int found = select(done, threshold.leastBits());
            for (int i = 0; i < found; i++) {
                int bits = bits(done + places[i]);
                if ((bits & Float32.MAGNITUDE_MASK) > threshold.bits() || ties-- > 0) {
                    writer.add(done + places[i], bits);
                }
            }
        }
        return writer.finish();
    }

    /**
     * Writes, in one pass, all values whose magnitude is at least {@code leastBits}.
     *
     * @return the size, or -1 if fewer than {@code keptMin} or more than {@code keptMax} are so large; nothing useful was written
     * @throws NonFiniteException if a value is NaN or infinite and was come across
     */
    long writeFrom(int leastBits, long keptMin, long keptMax, MemorySegment encoded) throws NonFiniteException {
        var writer = new Sparse.Writer(encoded, count, keptMax);
        long kept = 0;
        for (long done = 0; done < count; done += MagnitudeThreshold.CHUNK) {
            int found = select(done, leastBits);
            kept += found;
            if (kept > keptMax) {
                return -1;
            }
            for (int i = 0; i < found; i++) {
                long index = done + places[i];
                int bits = bits(index);
                if ((bits & Float32.MAGNITUDE_MASK) >= Float32.INFINITY_BITS) {
                    throw new NonFiniteException(index, Float.intBitsToFloat(bits));
                }
                writer.add(index, bits);
            }
        }
        return kept < keptMin ? -1 : writer.finish();
    }

    private int select(long done, int leastBits) {
        int n = (int) Math.min(MagnitudeThreshold.CHUNK, count - done);
        return Float32.KERNELS.select(values, done * Float.BYTES, n, leastBits, places);
    }

    private int bits(long index) {
        return values.get(Float32.BITS, index * Float.BYTES);
    }
}
