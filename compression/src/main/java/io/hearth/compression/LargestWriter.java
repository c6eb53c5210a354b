package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import java.lang.foreign.MemorySegment;

/** Writes the largest of some values as {@link Sparse}. One call long. */
final class LargestWriter {
    private final MemorySegment values;
    private final long count;
    private final boolean full;
    private final CodecKernels kernels;
    private final int run;
    private final int[] places;

    /** Is told what was written, in order. */
    interface Sent {
        /** Value {@code index} is {@code value}, and its decoder takes it for {@code decoded}. */
        void at(long index, float value, float decoded);
    }

    /**
     * Of that many values, which are there.
     *
     * @param full keep all 32 bits of each, or else 16
     */
    LargestWriter(CodecKernels kernels, MemorySegment values, long count, boolean full) {
        this.kernels = kernels;
        run = kernels.run(KernelKind.SELECT_FLOAT32, count);
        places = new int[(int) Math.min(run, count) + CodecKernels.SELECT_SLACK];
        this.values = values;
        this.count = count;
        this.full = full;
    }

    /** Writes what {@code threshold} keeps; the size. */
    long write(MagnitudeThreshold threshold, MemorySegment encoded, Sent sent) {
        var writer = new Sparse.Writer(encoded, count, threshold.kept(), full, threshold.largest());
        long ties = threshold.ties();
        for (long done = 0; done < count; done += run) {
            int n = (int) Math.min(run, count - done);
            int found = kernels.select(values, done * Float.BYTES, n, threshold.leastBits(), places);
            for (int i = 0; i < found; i++) {
                long index = done + places[i];
                float value = values.get(Float32.FLOAT, index * Float.BYTES);
                int magnitude = Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK;
                if (magnitude > threshold.bits() || ties-- > 0) {
                    sent.at(index, value, writer.add(index, value));
                }
            }
        }
        return writer.finish();
    }
}
