package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds and writes the largest of many values in one pass over them. A sample gives a bound that somewhat more values reach than are
 * wanted. One pass collects these few, and the exact ones are chosen among them. If the sample misleads, {@link MagnitudeThreshold} does
 * the work in several passes.
 *
 * <p>The caller reuses one instance for all tensors, because of its buffers: they hold a little more than the largest share asked for. One
 * thread at a time; that thread lets the workers collect from parts of a large tensor.
 */
public final class Candidates {
    /** Counting finds a larger share as fast, and needs no buffers. */
    private static final int SHARE_MAX = 8;

    private static final int SPARE = 8192;

    private final CodecKernels kernels;
    private final Workers workers;
    private final List<Basket> baskets = new ArrayList<>();
    private int[] magnitudes = new int[0];

    public Candidates(CodecKernels kernels, Workers workers) {
        this.kernels = kernels;
        this.workers = workers;
    }

    /**
     * Writes the {@code kept} largest of {@code count} values as {@link Sparse}; of equal magnitudes, those with the lower index.
     *
     * @param kept 1 to {@code count}
     * @param full whether to keep all 32 bits of each, or else 16
     * @return bytes written
     * @throws NonFiniteException if a value is NaN or infinite
     */
    public long writeLargest(Source source, long count, long kept, boolean full, MemorySegment encoded)
            throws NonFiniteException {
        int bound = kept <= count / SHARE_MAX && kept <= (Integer.MAX_VALUE - SPARE) / 2
                ? MagnitudeThreshold.lowerBound(source, count, kept)
                : 0;
        int room = (int) (2 * kept + SPARE);
        List<Basket> filled = bound == 0 ? List.of() : collect(source, count, bound, room);
        int found = filled.stream().mapToInt(basket -> basket.found).sum();
        if (found > room || found < kept) {
            return writeByThreshold(source, count, kept, full, encoded);
        }
        if (magnitudes.length < found) {
            magnitudes = new int[room];
        }
        int at = 0;
        int largest = 0;
        for (Basket basket : filled) {
            for (int i = 0; i < basket.found; i++) {
                int magnitude = magnitude(basket.values[i]);
                magnitudes[at++] = magnitude;
                largest = Math.max(largest, magnitude);
            }
        }
        int least = MagnitudeThreshold.select(magnitudes, found, (int) (found - kept));
        long ties = kept;
        for (int i = 0; i < found; i++) {
            ties -= magnitudes[i] > least ? 1 : 0;
        }
        var writer = new Sparse.Writer(encoded, count, kept, full, largest);
        for (Basket basket : filled) {
            for (int i = 0; i < basket.found; i++) {
                int magnitude = magnitude(basket.values[i]);
                if (magnitude > least || (magnitude == least && ties-- > 0)) {
                    writer.add(basket.indices[i], basket.values[i]);
                }
            }
        }
        return writer.finish();
    }

    private long writeByThreshold(Source source, long count, long kept, boolean full, MemorySegment encoded)
            throws NonFiniteException {
        var threshold = MagnitudeThreshold.of(kernels, source, count, kept);
        return new LargestWriter(kernels, source, count, full).write(threshold, encoded);
    }

    private static int magnitude(float value) {
        return Float.floatToRawIntBits(value) & Float32.MAGNITUDE_MASK;
    }

    /** Finds all values that reach {@code bound}, by rising index, one basket after the other. The list is empty if they do not fit. */
    private List<Basket> collect(Source source, long count, int bound, int room) throws NonFiniteException {
        int run = kernels.run(KernelKind.SELECT_FLOAT32, count);
        int pieces = workers.pieces(count);
        while (baskets.size() < pieces) {
            baskets.add(new Basket());
        }
        workers.divide(pieces, count, run, (piece, from, end) -> {
            if (pieces == 1) {
                baskets.getFirst().fill(source, run, from, end, bound, room);
                return;
            }
            try (var arena = Arena.ofConfined()) {
                Source own = source.over(arena.allocate(Float32.FLOAT, run));
                baskets.get(piece).fill(own, run, from, end, bound, room);
            }
        });
        List<Basket> filled = baskets.subList(0, pieces);
        for (Basket basket : filled) {
            if (basket.notCarried != null) {
                throw basket.notCarried;
            }
            if (basket.overflows) {
                return List.of();
            }
        }
        return filled;
    }

    /** The candidates of one part of the tensor, in the order of their indices. */
    private final class Basket {
        private long[] indices = new long[0];
        private float[] values = new float[0];
        private int found;
        private boolean overflows;
        private @Nullable NonFiniteException notCarried;

        void fill(Source source, int run, long from, long end, int bound, int room) {
            found = 0;
            overflows = false;
            notCarried = null;
            int[] places = new int[(int) Math.min(run, end - from) + CodecKernels.SELECT_SLACK];
            for (long done = from; done < end && !overflows && notCarried == null; done += run) {
                int n = (int) Math.min(run, end - done);
                long at = source.make(done, n);
                int more = kernels.select(source.run(), at, n, bound, places);
                overflows = more > room - found;
                if (!overflows) {
                    take(source.run(), done, at, places, more, room);
                }
            }
        }

        private void take(MemorySegment made, long done, long at, int[] places, int more, int room) {
            if (indices.length < found + more) {
                int length = Math.min(room, Math.max(found + more, 2 * indices.length));
                indices = Arrays.copyOf(indices, length);
                values = Arrays.copyOf(values, length);
            }
            for (int i = 0; i < more; i++) {
                float value = made.get(Float32.FLOAT, at + (long) places[i] * Float.BYTES);
                if (magnitude(value) >= Float32.INFINITY_BITS) {
                    notCarried = new NonFiniteException(done + places[i], value);
                    return;
                }
                indices[found] = done + places[i];
                values[found++] = value;
            }
        }
    }
}
