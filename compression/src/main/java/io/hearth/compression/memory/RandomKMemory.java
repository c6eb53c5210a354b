package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Ranges;
import io.hearth.compression.sparse.DrawnIndices;
import io.hearth.compression.sparse.Source;
import io.hearth.compression.sparse.TopKCodec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Draws values of a tensor by a seed that all members share, so that they can sum the drawn values directly, and keeps all others for the
 * next gradient (random-k with memory; Stich et al., NeurIPS 2018, algorithm 1).
 *
 * <p>Takes off-heap memory of the size of each tensor, if it keeps residuals. One thread at a time.
 */
public final class RandomKMemory extends CompressionMemory {
    private final double fraction;
    private final boolean remembers;
    private final CodecKernels kernels;

    /**
     * An empty memory.
     *
     * @param fraction share of the values that is drawn, above 0, at most 1
     * @param remembers whether to keep the residual; otherwise it is lost
     * @param tensorsMax most keys that may be in use; at least 1
     * @param kernels shared with others
     */
    public RandomKMemory(double fraction, boolean remembers, int tensorsMax, CodecKernels kernels) {
        super(TensorFile.RANDOM_K, tensorsMax, false);
        Ranges.requireFraction("randomk", fraction);
        this.fraction = fraction;
        this.remembers = remembers;
        this.kernels = kernels;
    }

    /** The number of values drawn from {@code count}: {@code fraction * count} rounded to the nearest, at least 1. */
    public long kept(long count) {
        return TopKCodec.kept(fraction, count);
    }

    /**
     * Draws from the gradient plus the tensor's residual; the memory does not change before the end.
     *
     * @param key names the tensor; at its first use, or with another {@code count}, its residual is 0
     * @param gradient native memory, float32, at least {@code count}; borrowed and unchanged until the end
     * @param count 1 or more
     * @param seed the same on all members
     * @param drawn native memory for {@link #kept} float32; written
     * @throws NonFiniteException if any value, drawn or not, is not finite; nothing is pending then
     * @throws IllegalStateException if this key is pending already, or is new and the memory is full
     */
    public DrawnPending prepare(String key, MemorySegment gradient, long count, long seed, MemorySegment drawn)
            throws NonFiniteException {
        TensorMemory tensor = tensor(key, gradient, count);
        var indices = DrawnIndices.of(fraction, seed, count);
        Float32.checkRoom(drawn, indices.kept());
        try (var arena = Arena.ofConfined()) {
            draw(source(tensor, gradient, count, arena), indices, drawn);
        }
        return new DrawnPending(kernels, tensor, indices, gradient);
    }

    private Source source(TensorMemory tensor, MemorySegment gradient, long count, Arena arena) {
        if (!remembers) {
            return Source.of(gradient);
        }
        MemorySegment run = arena.allocate(Float32.FLOAT, kernels.run(KernelKind.SELECT_FLOAT32, count));
        return new ResidualSource(kernels, gradient, tensor, run);
    }

    /** Draws in one pass, which checks all values: a value that is not finite and is left out would become 0. */
    private void draw(Source source, DrawnIndices indices, MemorySegment drawn) throws NonFiniteException {
        int run = kernels.run(KernelKind.SELECT_FLOAT32, indices.count());
        int[] places = new int[(int) Math.min(run, indices.count()) + CodecKernels.SELECT_SLACK];
        var walk = new DrawnIndices.Walk(indices);
        for (long done = 0; done < indices.count(); done += run) {
            int n = (int) Math.min(run, indices.count() - done);
            long at = source.make(done, n);
            MemorySegment made = source.run();
            if (kernels.select(made, at, n, Float32.INFINITY_BITS, places) > 0) {
                throw new NonFiniteException(
                        done + places[0], made.get(Float32.FLOAT, at + (long) places[0] * Float.BYTES));
            }
            for (; walk.isBelow(done + n); walk.next()) {
                float value = made.get(Float32.FLOAT, at + (walk.index() - done) * Float.BYTES);
                drawn.set(Float32.FLOAT, walk.number() * Float.BYTES, value);
            }
        }
    }

    /**
     * Writes the exact sum of the gradient and the tensor's residual, which is 0 after the commit. Values that are not finite pass too.
     *
     * @param values native memory for {@code count} float32, apart from the gradient; written
     * @throws IllegalStateException as {@link #prepare}; other arguments are as there
     */
    public Pending prepareDense(String key, MemorySegment gradient, long count, MemorySegment values) {
        Float32.checkRoom(values, count);
        TensorMemory tensor = tensor(key, gradient, count);
        if (remembers) {
            kernels.add(values, 0, gradient, 0, tensor.now(), 0, count);
        } else {
            MemorySegment.copy(gradient, 0, values, 0, count * Float.BYTES);
        }
        return tensor.pend(count * Float.BYTES, 0, () -> tensor.now().fill((byte) 0));
    }

    private TensorMemory tensor(String key, MemorySegment gradient, long count) {
        if (count < 1) {
            throw new IllegalArgumentException("need a tensor of at least 1 value to draw from, got " + count);
        }
        Float32.checkRoom(gradient, count);
        return tensors().idle(key, remembers ? count : 0, count);
    }
}
