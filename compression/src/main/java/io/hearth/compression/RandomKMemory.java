package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.KernelKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Draws values of a tensor by a seed that all members have, so that they sum the same ones as they are, and remembers all others for
 * the next gradient (random-k with memory; Stich et al., NeurIPS 2018, algorithm 1).
 *
 * <p>Off-heap memory of the size of each tensor, if it remembers. One thread at a time.
 */
public final class RandomKMemory extends CompressionMemory {
    private final double fraction;
    private final boolean remembers;
    private final CodecKernels kernels;

    /**
     * An empty memory.
     *
     * @param fraction share of the values that is drawn, above 0, at most 1
     * @param remembers what is not drawn; otherwise that is lost
     * @param tensorsMax most keys that may be in use; at least 1
     * @param kernels shared with others
     */
    public RandomKMemory(double fraction, boolean remembers, int tensorsMax, CodecKernels kernels) {
        super(TensorFile.RANDOM_K, tensorsMax, false);
        TopKCodec.checkFraction("randomk", fraction);
        this.fraction = fraction;
        this.remembers = remembers;
        this.kernels = kernels;
    }

    /** Values that were drawn, and are not yet known to have been summed. */
    public interface Drawn extends Pending {
        /**
         * Writes the sum of the tensor: what was summed where it was drawn, 0 elsewhere. {@link #commit} must follow.
         *
         * @param sums the drawn values of all members, added, in the order in which they were drawn
         * @param sum native memory for as many float32 as the gradient has; written; may be that of the gradient
         */
        void deliver(MemorySegment sums, MemorySegment sum);
    }

    /** How many of {@code count} values are drawn: {@code fraction * count} rounded to the nearest, at least 1. */
    public long kept(long count) {
        return TopKCodec.kept(fraction, count);
    }

    /**
     * Draws from the gradient and what its tensor is owed, of which nothing is written down before the end.
     *
     * @param key names the tensor; a first use, or one with another {@code count}, starts with nothing owed
     * @param gradient native memory, float32, at least {@code count}; borrowed, and as it is until the end
     * @param count 1 or more
     * @param seed the same on all members
     * @param drawn native memory for {@link #kept} float32; written
     * @throws NonFiniteException if one of all values, drawn or not, is not finite; nothing is pending then
     * @throws IllegalStateException if this key is pending already, or a new key is one too many
     */
    public Drawn prepare(String key, MemorySegment gradient, long count, long seed, MemorySegment drawn)
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
        return Source.sum(kernels, gradient, tensor, run);
    }

    /** In one pass, which looks at all values: to leave out one that is not finite would make it 0. */
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
     * Takes the gradient and all that its tensor is owed as they are: nothing is left out. Values that are not finite pass too.
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
