package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.Engines;
import io.hearth.compression.format.Float32;
import java.lang.foreign.MemorySegment;

/** The largest magnitude of a tensor. */
public final class MaxMagnitude {
    private MaxMagnitude() {}

    /**
     * Rejects values that are not finite.
     *
     * @param values native memory, float32, at least {@code count}; borrowed
     * @throws NonFiniteException if there is such a value; names the first one
     */
    public static void requireFinite(MemorySegment values, long count) throws NonFiniteException {
        requireFinite(Engines.best().codecKernels(), values, count);
    }

    /** The same with the kernels of an engine. */
    public static void requireFinite(CodecKernels kernels, MemorySegment values, long count) throws NonFiniteException {
        Float32.checkRoom(values, count);
        int run = kernels.run(KernelKind.SELECT_FLOAT32, count);
        int[] places = new int[(int) Math.min(run, count) + CodecKernels.SELECT_SLACK];
        for (long done = 0; done < count; done += run) {
            int n = (int) Math.min(run, count - done);
            if (kernels.select(values, done * Float.BYTES, n, Float32.INFINITY_BITS, places) > 0) {
                long index = done + places[0];
                throw new NonFiniteException(index, values.get(Float32.FLOAT, index * Float.BYTES));
            }
        }
    }

    /**
     * The largest magnitude.
     *
     * @param values native memory, float32, at least {@code count}; borrowed
     * @return infinity if a value is not finite, 0 if there are no values
     */
    public static float of(MemorySegment values, long count) {
        Float32.checkRoom(values, count);
        int[] bits = new int[(int) Math.min(Float32.BLOCK, count)];
        int most = 0;
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            MemorySegment.copy(values, Float32.BITS, done * Float.BYTES, bits, 0, n);
            for (int i = 0; i < n; i++) {
                most = Math.max(most, bits[i] & Float32.MAGNITUDE_MASK);
            }
        }
        return Float.intBitsToFloat(Math.min(most, Float32.INFINITY_BITS));
    }
}
