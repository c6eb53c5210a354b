package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Codec;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Ranges;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A matrix as the product of two thin ones (PowerSGD; Vogels et al., NeurIPS 2019, algorithms 1 and 2): one step of subspace iteration per
 * gradient, started from the last one's right factor, with error feedback.
 *
 * <p>Not a {@link Codec}: the members sum its two factors during a round, with any float32 sum that gives the same bits on all of them. A
 * round is
 *
 * <pre>
 * M = gradient + residual                        {@link #begin}
 * P = M Q            sum P over the members      {@link PowerRound#left}, {@link PowerRound#leftSummed}
 * P' = orthogonalised mean of P
 * Q' = M^T P'        sum Q' over the members     {@link PowerRound#right}, {@link PowerRound#rightSummed}
 * M' = P' mean(Q')^T, the same on all            {@link PowerRound#deliver}
 * residual' = M - P' Q'^T with its own Q'        {@link PowerRound#deliver}, {@link PowerRound#commit}
 * </pre>
 *
 * The residuals of all members add up to the loss of the mean gradient, so over time nothing is lost.
 *
 * <p>Members need the same rank, seed and names. Results computed from the same sums have the same bits on all members; a member's own
 * factors, which are summed, may differ in the last bits from engine to engine. Off-heap memory of the size of each matrix and a factor.
 * One thread at a time.
 */
public final class PowerSgdMemory extends CompressionMemory {
    private final int rank;
    private final boolean remembers;
    private final long seed;
    private final CodecKernels kernels;

    /**
     * An empty memory that computes with the kernels of an engine.
     *
     * @param rank columns of both factors, at least 1; less where a matrix is smaller
     * @param remembers whether to keep the residual; otherwise it is lost
     * @param seed of the first right factors
     * @param tensorsMax most keys that may be in use; at least 1
     * @param kernels shared with others
     */
    public PowerSgdMemory(int rank, boolean remembers, long seed, int tensorsMax, CodecKernels kernels) {
        super(TensorFile.POWER_SGD, tensorsMax, false);
        Ranges.requireRank(rank);
        this.rank = rank;
        this.remembers = remembers;
        this.seed = seed;
        this.kernels = kernels;
    }

    /** Size of the left factor of such a matrix; arguments as in {@link #begin}. */
    public long leftBytes(long count, int columns) {
        return Math.ceilDiv(count, (long) columns) * width(count, columns) * Float.BYTES;
    }

    /** Size of the right factor of such a matrix; arguments as in {@link #begin}. */
    public long rightBytes(long count, int columns) {
        return (long) columns * width(count, columns) * Float.BYTES;
    }

    /**
     * Starts a round with {@code M = gradient + residual}, which changes no memory before it delivers.
     *
     * @param key names the matrix; at its first use, or with another shape, its residual is 0
     * @param gradient native memory, float32, at least {@code count}, row by row; borrowed and unchanged until the end of the round
     * @param count 1 or more
     * @param columns values of each row; the last row may have fewer; 1 to {@code count}
     * @throws NonFiniteException if a value of the sum is not finite, or too large for its products; nothing is pending then
     * @throws IllegalStateException if this key is pending already, or is new and the memory is full
     */
    public PowerRound begin(String key, MemorySegment gradient, long count, int columns) throws NonFiniteException {
        TensorMemory tensor = tensor(key, gradient, count, columns);
        var random = new SplittableRandom(seed ^ key.hashCode() ^ (tensor.steps() << Integer.SIZE));
        return new PowerRound(kernels, remembers, tensor, gradient, count, columns, width(count, columns))
                .begin(random);
    }

    /**
     * Writes the exact sum of the gradient and its residual, which is 0 after the commit; the start factors stay. Values that are not
     * finite pass too.
     *
     * @param mean native memory for {@code count} float32, apart from the gradient; written
     * @throws IllegalStateException as {@link #begin}; other arguments are as there
     */
    public Pending prepareDense(String key, MemorySegment gradient, long count, int columns, MemorySegment mean) {
        Float32.checkRoom(mean, count);
        TensorMemory tensor = tensor(key, gradient, count, columns);
        kernels.add(mean, 0, gradient, 0, tensor.now(), 0, count);
        long bytes = count * Float.BYTES;
        return tensor.pend(
                bytes, tensor.note(), () -> tensor.now().asSlice(0, bytes).fill((byte) 0));
    }

    private TensorMemory tensor(String key, MemorySegment gradient, long count, int columns) {
        if (count < 1 || columns < 1 || columns > count) {
            throw new IllegalArgumentException(
                    "need a matrix of at least 1 value and 1 column, got " + count + " values in rows of " + columns);
        }
        Float32.checkRoom(gradient, count);
        return tensors().idle(key, count + (long) columns * width(count, columns), columns);
    }

    private int width(long count, int columns) {
        return (int) Math.min(rank, Math.min(Math.ceilDiv(count, (long) columns), columns));
    }
}
