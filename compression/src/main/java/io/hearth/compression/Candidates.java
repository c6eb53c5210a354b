package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import java.lang.foreign.MemorySegment;

/**
 * The largest of many values, found and written in one pass over them: a sample gives a bound that somewhat more than the wanted number
 * reach; these few are collected, and the exact ones chosen among them. Should the sample mislead, {@link MagnitudeThreshold} takes its
 * passes.
 *
 * <p>Kept from one tensor to the next for its room, which is a little more than the largest share asked for. One thread at a time.
 */
final class Candidates {
    /** A larger share is found as fast by counting, which needs no room. */
    private static final int SHARE_MAX = 8;

    private static final int SPARE = 8192;

    private final CodecKernels kernels;
    private long[] indices = new long[0];
    private float[] values = new float[0];
    private int[] magnitudes = new int[0];
    private int found;

    Candidates(CodecKernels kernels) {
        this.kernels = kernels;
    }

    /**
     * Writes the {@code kept} largest of {@code count} values as {@link Sparse}, of equal magnitudes those with the lower index.
     *
     * @param kept 1 to {@code count}
     * @param full all 32 bits of each, or else 16
     * @return bytes written
     * @throws NonFiniteException if a value is NaN or infinite
     */
    long writeLargest(Source source, long count, long kept, boolean full, MemorySegment encoded)
            throws NonFiniteException {
        int bound = kept <= count / SHARE_MAX && kept <= (Integer.MAX_VALUE - SPARE) / 2
                ? MagnitudeThreshold.lowerBound(source, count, kept)
                : 0;
        if (bound == 0 || !collect(source, count, bound, (int) (2 * kept + SPARE)) || found < kept) {
            var threshold = MagnitudeThreshold.of(kernels, source, count, kept);
            return new LargestWriter(kernels, source, count, full).write(threshold, encoded);
        }
        for (int i = 0; i < found; i++) {
            magnitudes[i] = magnitude(values[i]);
        }
        int least = MagnitudeThreshold.select(magnitudes, found, (int) (found - kept));
        long ties = kept;
        int largest = 0;
        for (int i = 0; i < found; i++) {
            int magnitude = magnitude(values[i]);
            ties -= magnitude > least ? 1 : 0;
            largest = Math.max(largest, magnitude);
        }
        var writer = new Sparse.Writer(encoded, count, kept, full, largest);
        for (int i = 0; i < found; i++) {
            int magnitude = magnitude(values[i]);
            if (magnitude > least || (magnitude == least && ties-- > 0)) {
                writer.add(indices[i], values[i]);
            }
        }
        return writer.finish();
    }

    private static int magnitude(float value) {
        return Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK;
    }

    /** Whether there was room for all that reach {@code bound}. */
    private boolean collect(Source source, long count, int bound, int room) throws NonFiniteException {
        if (indices.length < room) {
            indices = new long[room];
            values = new float[room];
            magnitudes = new int[room];
        }
        int run = kernels.run(KernelKind.SELECT_FLOAT32, count);
        int[] places = new int[(int) Math.min(run, count) + CodecKernels.SELECT_SLACK];
        found = 0;
        for (long done = 0; done < count; done += run) {
            int n = (int) Math.min(run, count - done);
            long at = source.make(done, n);
            MemorySegment made = source.run();
            int more = kernels.select(made, at, n, bound, places);
            if (more > indices.length - found) {
                return false;
            }
            for (int i = 0; i < more; i++) {
                float value = made.get(Float32.FLOAT, at + (long) places[i] * Float.BYTES);
                if (magnitude(value) >= Float32.INFINITY_BITS) {
                    throw new NonFiniteException(done + places[i], value);
                }
                indices[found] = done + places[i];
                values[found++] = value;
            }
        }
        return true;
    }
}
