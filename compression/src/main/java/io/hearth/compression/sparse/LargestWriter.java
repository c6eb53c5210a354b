package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.compression.format.Float32;
import java.lang.foreign.MemorySegment;

/** Writes those of many values that reach a threshold as {@link Sparse}. For one call. */
public final class LargestWriter {
    private final Source source;
    private final long count;
    private final boolean full;
    private final CodecKernels kernels;
    private final int run;
    private final int[] places;

    /**
     * A writer for {@code count} values.
     *
     * @param full whether to keep all 32 bits of each, or else 16
     */
    public LargestWriter(CodecKernels kernels, Source source, long count, boolean full) {
        this.kernels = kernels;
        this.source = source;
        this.count = count;
        this.full = full;
        run = kernels.run(KernelKind.SELECT_FLOAT32, count);
        places = new int[(int) Math.min(run, count) + CodecKernels.SELECT_SLACK];
    }

    /** Writes the values that {@code threshold} keeps and returns the number of bytes. */
    public long write(MagnitudeThreshold threshold, MemorySegment encoded) {
        var writer = new Sparse.Writer(encoded, count, threshold.kept(), full, threshold.largest());
        long ties = threshold.ties();
        for (long done = 0; done < count; done += run) {
            int n = (int) Math.min(run, count - done);
            long at = source.make(done, n);
            MemorySegment values = source.run();
            int found = kernels.select(values, at, n, threshold.leastBits(), places);
            for (int i = 0; i < found; i++) {
                float value = values.get(Float32.FLOAT, at + (long) places[i] * Float.BYTES);
                int magnitude = Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK;
                if (magnitude > threshold.bits() || ties-- > 0) {
                    writer.add(done + places[i], value);
                }
            }
        }
        return writer.finish();
    }
}
