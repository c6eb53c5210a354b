package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.compression.DgcOptions;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.Candidates;
import io.hearth.compression.sparse.LargestWriter;
import io.hearth.compression.sparse.MagnitudeThreshold;
import io.hearth.compression.sparse.Sparse;
import io.hearth.compression.sparse.SparseSum;
import io.hearth.compression.sparse.TopKCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Deep gradient compression (Lin et al., ICLR 2018, algorithm 1 and section 3): top-k with error feedback, where the residual gathers the
 * momentum that the values would have had.
 *
 * <pre>
 * u' = momentum * u + clip(g)      momentum correction; clip to clipNorm / sqrt(contributors)
 * v' = v + u'
 * send the largest of v'; there v' = the rounding error of 16 bits, and u' = 0 (factor masking: a value that was sent has no momentum)
 * </pre>
 *
 * <p>{@link SparseSum} reads and adds the encodings; the optimiser applies the mean without momentum of its own.
 *
 * <p>The schedule counts a tensor's steps in this memory. So a member that joins a running job, or whose state was replaced, goes through
 * the warm-up by itself: it sends the larger shares while the others send the small one. That costs bytes and no accuracy, because all
 * encodings are added, however many values they hold; members need not agree on the step.
 *
 * <p>Off-heap memory of twice the size of each tensor.
 */
public final class DgcMemory extends GradientMemory {
    private static final int SLACK = 2;

    private final DgcOptions options;
    private final CodecKernels kernels;
    private final Workers workers;
    private final Candidates candidates;
    private int contributors = 1;

    /**
     * An empty memory that selects values with the kernels of an engine.
     *
     * @param tensorsMax most keys that may be in use; at least 1
     * @param kernels shared with others
     * @param workers for large tensors, whose gradients they must be able to read
     */
    public DgcMemory(DgcOptions options, int tensorsMax, CodecKernels kernels, Workers workers) {
        super(TensorFile.DGC, tensorsMax, false);
        this.options = options;
        this.kernels = kernels;
        this.workers = workers;
        candidates = new Candidates(kernels, workers);
    }

    /** Sets the number of members that sum their gradients from now on, at least 1; 1 at first. Only clipping depends on it. */
    public void contributors(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("need at least 1 contributor, got " + count);
        }
        contributors = count;
    }

    @Override
    public long encodedBytesMax(long count) {
        return Sparse.bytesMax(
                count, keptMax(TopKCodec.kept(options.schedule().largest(), count), count), options.full());
    }

    private long keptMax(long wanted, long count) {
        return options.reuseSteps() == 1 ? wanted : Math.min(count, SLACK * wanted);
    }

    @Override
    public Pending prepare(String key, MemorySegment gradient, long count, MemorySegment encoded)
            throws NonFiniteException {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        TensorMemory tensor = tensors().idle(key, 2 * count, 0);
        if (count == 0) {
            return tensor.pend(new Sparse.Writer(encoded, 0, 0, options.full(), 0).finish(), tensor.note(), () -> {});
        }
        float clip = clip(gradient, count);
        long wanted = TopKCodec.kept(options.schedule().fraction(tensor.steps()), count);
        try (var arena = Arena.ofConfined()) {
            MemorySegment run = arena.allocate(Float32.FLOAT, kernels.run(KernelKind.SELECT_FLOAT32, count));
            var step = new DgcStep(gradient, tensor.now(), run, count, options.momentum(), clip);
            Written written = write(step, count, wanted, tensor.note(), encoded);
            MemorySegment own = encoded.asSlice(0, written.bytes());
            return new DgcPending(workers, tensor, written.note(), own, step, count);
        }
    }

    /**
     * The values include the momentum that an optimiser would have applied. The momentum stays, because every value is sent, so none has to
     * be masked.
     */
    @Override
    public Pending prepareDense(String key, MemorySegment gradient, long count, MemorySegment values) {
        Float32.checkRoom(gradient, count);
        Float32.checkRoom(values, count);
        TensorMemory tensor = tensors().idle(key, 2 * count, 0);
        var step = new DgcStep(gradient, tensor.now(), values, count, options.momentum(), clip(gradient, count));
        step.makeAll();
        return tensor.pendReading(count * Float.BYTES, tensor.note(), step::keepMomentum);
    }

    /** Selects by the last threshold while that may be reused and keeps about the wanted number; by an exact one otherwise. */
    private Written write(DgcStep step, long count, long wanted, long note, MemorySegment encoded)
            throws NonFiniteException {
        int served = (int) note;
        int leastBits = (int) (note >> Integer.SIZE) - 1;
        var writer = new LargestWriter(kernels, step, count, options.full());
        if (leastBits >= 0 && served > 0 && served < options.reuseSteps()) {
            var again = MagnitudeThreshold.from(kernels, step, count, leastBits);
            if (again.kept() >= Math.ceilDiv(wanted, SLACK) && again.kept() <= keptMax(wanted, count)) {
                return new Written(writer.write(again, encoded), leastBits, served + 1);
            }
        }
        if (options.reuseSteps() == 1) {
            return new Written(candidates.writeLargest(step, count, wanted, options.full(), encoded), 0, 1);
        }
        var exact = MagnitudeThreshold.of(kernels, step, count, wanted);
        return new Written(writer.write(exact, encoded), exact.leastBits(), 1);
    }

    /** Bytes written, the threshold, and the number of steps that used this threshold, this one included. */
    private record Written(long bytes, int leastBits, int served) {
        /** The note to keep with the tensor; never 0, which is the note of a fresh tensor. */
        long note() {
            return ((leastBits + 1L) << Integer.SIZE) | served;
        }
    }

    /** The factor that scales the gradient down to its share of the norm; 1 if it is small enough, or not finite. */
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

    /** The velocity of {@code key}, for tests. */
    float[] velocity(String key) {
        float[] both = remembered(key);
        return Arrays.copyOfRange(both, both.length / 2, both.length);
    }

    /** The momentum of {@code key}, for tests. */
    float[] momentum(String key) {
        float[] both = remembered(key);
        return Arrays.copyOf(both, both.length / 2);
    }
}
