package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;

/**
 * Deep gradient compression (Lin et al., ICLR 2018, algorithm 1 and section 3): top-k with error feedback, where what waits is
 * given the momentum that it would have had.
 *
 * <pre>
 * u' = momentum * u + clip(g)      momentum correction; clip to clipNorm / sqrt(contributors)
 * v' = v + u'
 * send the largest of v'; there v' = 0 and u' = 0 (factor masking: what was sent pushes no further)
 * </pre>
 *
 * <p>{@link SparseSum} reads, adds and merges what is sent; the optimiser applies the mean without momentum of its own.
 *
 * <p>Off-heap memory of four times the size of each tensor.
 */
public final class DgcMemory implements GradientMemory {
    private static final int SLACK = 2;

    private final DgcOptions options;
    private final Tensors tensors;
    private int contributors = 1;

    /**
     * An empty memory.
     *
     * @param tensorsMax most keys that may be in use; at least 1
     */
    public DgcMemory(DgcOptions options, int tensorsMax) {
        this.options = options;
        tensors = new Tensors(tensorsMax);
    }

    /** How many members sum their gradients from now on, at least 1; 1 at first. Only clipping depends on it. */
    public void contributors(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("need at least 1 contributor, got " + count);
        }
        contributors = count;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Sparse.bytesMax(count, keptMax(TopKCodec.kept(options.schedule().largest(), count), count));
    }

    private long keptMax(long wanted, long count) {
        return options.reuseSteps() == 1 ? wanted : Math.min(count, SLACK * wanted);
    }

    @Override
    public ErrorFeedback.Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        Remembered tensor = tensors.idle(key, 2 * count, 0);
        MemorySegment momentum = tensor.next().asSlice(0, count * Float.BYTES);
        MemorySegment velocity = tensor.next().asSlice(count * Float.BYTES);
        accumulate(gradient, tensor.now(), momentum, velocity, count);
        long wanted = TopKCodec.kept(options.schedule().fraction(tensor.steps()), count);
        var search = new Search(velocity, count, wanted, Threshold.of(tensor.note()));
        long bytes = search.write(encoded);
        Sparse.clear(encoded, momentum);
        Sparse.clear(encoded, velocity);
        return tensor.pend(bytes, search.threshold.note());
    }

    private void accumulate(
            MemorySegment gradient, MemorySegment before, MemorySegment momentum, MemorySegment velocity, long count) {
        float clip = clip(gradient, count);
        float factor = options.momentum();
        float[] g = new float[(int) Math.min(Float32.BLOCK, count)];
        float[] u = new float[g.length];
        float[] v = new float[g.length];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(gradient, done, g, n);
            Float32.load(before, done, u, n);
            Float32.load(before, count + done, v, n);
            for (int i = 0; i < n; i++) {
                u[i] = factor * u[i] + clip * g[i];
                v[i] += u[i];
            }
            Float32.store(u, momentum, done, n);
            Float32.store(v, velocity, done, n);
        }
    }

    /** The factor that brings the gradient down to its share of the norm; 1 where it is small enough, or not finite. */
    private float clip(MemorySegment gradient, long count) {
        double limit = options.clipNorm() / Math.sqrt(contributors);
        if (Double.isInfinite(limit)) {
            return 1;
        }
        double squares = 0;
        float[] g = new float[(int) Math.min(Float32.BLOCK, count)];
        for (long done = 0; done < count; done += Float32.BLOCK) {
            int n = Float32.blockAt(done, count);
            Float32.load(gradient, done, g, n);
            for (int i = 0; i < n; i++) {
                squares += (double) g[i] * g[i];
            }
        }
        double norm = Math.sqrt(squares);
        return norm > limit && Double.isFinite(norm) ? (float) (limit / norm) : 1;
    }

    /** A magnitude to select from, and how many steps it has served; {@code leastBits} below 0 is none. */
    private record Threshold(int leastBits, int served) {
        static Threshold of(long note) {
            return new Threshold((int) (note >> Integer.SIZE) - 1, (int) note);
        }

        /** 0 for none, so that a fresh tensor has none. */
        long note() {
            return ((leastBits + 1L) << Integer.SIZE) | served;
        }
    }

    private final class Search {
        private final MemorySegment values;
        private final long count;
        private final long wanted;
        private Threshold threshold;

        Search(MemorySegment values, long count, long wanted, Threshold threshold) {
            this.values = values;
            this.count = count;
            this.wanted = wanted;
            this.threshold = threshold;
        }

        long write(MemorySegment encoded) throws NonFiniteException {
            if (count == 0) {
                return new Sparse.Writer(encoded, 0, 0).finish();
            }
            var writer = new LargestWriter(values, count);
            if (threshold.leastBits() >= 0 && threshold.served() > 0 && threshold.served() < options.reuseSteps()) {
                long least = Math.ceilDiv(wanted, SLACK);
                long bytes = writer.writeFrom(threshold.leastBits(), least, keptMax(wanted, count), encoded);
                if (bytes >= 0) {
                    threshold = new Threshold(threshold.leastBits(), threshold.served() + 1);
                    return bytes;
                }
            }
            MagnitudeThreshold exact = writer.threshold(wanted);
            threshold = new Threshold(exact.leastBits(), 1);
            return writer.write(exact, wanted, encoded);
        }
    }

    @Override
    public void forget(String key) {
        tensors.forget(key);
    }

    @Override
    public long savedBytes() {
        return TensorFile.bytes(tensors.allIdle());
    }

    @Override
    public void save(MemorySegment saved) {
        TensorFile.write(TensorFile.DGC, tensors.allIdle(), saved);
    }

    @Override
    public void restore(MemorySegment saved) throws MalformedMessageException {
        tensors.allIdle();
        tensors.replace(TensorFile.read(TensorFile.DGC, tensors.tensorsMax(), saved));
    }

    @Override
    public void close() {
        tensors.close();
    }

    /** What {@code key} is owed, for tests. */
    float[] owed(String key) {
        Remembered tensor = tensors.known(key);
        if (tensor == null) {
            return new float[0];
        }
        return tensor.now().asSlice(tensor.floats() / 2 * Float.BYTES).toArray(Float32.FLOAT);
    }

    /** The momentum of {@code key}, for tests. */
    float[] momentum(String key) {
        Remembered tensor = tensors.known(key);
        if (tensor == null) {
            return new float[0];
        }
        return tensor.now().asSlice(0, tensor.floats() / 2 * Float.BYTES).toArray(Float32.FLOAT);
    }
}
