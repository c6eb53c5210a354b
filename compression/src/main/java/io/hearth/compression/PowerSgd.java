package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engines;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * A matrix as the product of two thin ones (PowerSGD; Vogels et al., NeurIPS 2019, algorithms 1 and 2): one step of subspace
 * iteration per gradient, started from the last one's right factor, with error feedback.
 *
 * <p>Not a {@link Codec}: its two factors are summed among the members on the way, by whatever sums float32 exactly alike on all of
 * them. A round is
 *
 * <pre>
 * M = gradient + owed                            {@link #begin}
 * P = M Q            sum P over the members      {@link Round#left}, {@link Round#leftSummed}
 * P' = orthogonalised mean of P
 * Q' = M^T P'        sum Q' over the members     {@link Round#right}, {@link Round#rightSummed}
 * M' = P' mean(Q')^T, the same on all            {@link Round#approximation}
 * owed' = M - P' Q'^T with the own Q'            {@link Round#commit}
 * </pre>
 *
 * The owed parts of all members add up to what the mean of the gradients lost, so over time nothing is lost.
 *
 * <p>Members need the same rank, seed and names. Arithmetic is plain Java in a fixed order, so what follows from the same sums has
 * the same bits everywhere. Off-heap memory of twice the size of each matrix and its factors. One thread at a time.
 */
public final class PowerSgd implements CompressionMemory {
    private final int rank;
    private final long seed;
    private final CodecKernels kernels;
    private final Tensors tensors;

    /**
     * An empty memory.
     *
     * @param rank columns of both factors, at least 1; less where a matrix is smaller
     * @param seed of the first right factors
     * @param tensorsMax most keys that may be in use; at least 1
     */
    public PowerSgd(int rank, long seed, int tensorsMax) {
        this(rank, seed, tensorsMax, Engines.best().codecKernels());
    }

    /**
     * An empty memory that adds by the kernels of an engine.
     *
     * @param rank as in the other constructor
     * @param seed as in the other constructor
     * @param tensorsMax as in the other constructor
     * @param kernels shared with others
     */
    public PowerSgd(int rank, long seed, int tensorsMax, CodecKernels kernels) {
        checkRank(rank);
        this.rank = rank;
        this.seed = seed;
        this.kernels = kernels;
        tensors = new Tensors(tensorsMax);
    }

    static void checkRank(int rank) {
        if (rank < 1) {
            throw new IllegalArgumentException(
                    "need a PowerSGD rank of at least 1, got " + rank + "; a usual choice is 1 to 4");
        }
    }

    /** One gradient on its way through both sums; calls have to come in this order. */
    public interface Round {
        /** The left factor, {@code rows * rank} float32 in native memory: to be summed in place over all members. */
        MemorySegment left();

        /**
         * Takes the mean of the left factors.
         *
         * @param contributors how many were summed, at least 1
         * @throws NonFiniteException if the sum is not finite; only {@link #rollback} is left then
         */
        void leftSummed(int contributors) throws NonFiniteException;

        /** The right factor, {@code columns * rank} float32 in native memory: to be summed in place over all members. */
        MemorySegment right();

        /** As {@link #leftSummed}, for the right factors. */
        void rightSummed(int contributors) throws NonFiniteException;

        /**
         * Writes the mean of all members' gradients as far as this rank can express it.
         *
         * @param mean native memory for {@code rows * columns} float32, row by row; written
         */
        void approximation(MemorySegment mean);

        /** The approximation was used: what it lacks is now owed, and the next round starts from these factors. */
        void commit();

        /** The round was given up: the memory is as before {@link PowerSgd#begin}. Allowed at any time before the end. */
        void rollback();
    }

    /**
     * Starts a round with {@code M = gradient + owed}.
     *
     * @param key names the matrix; a first use, or one with another shape, starts with nothing owed
     * @param gradient native memory, float32, {@code rows * columns} row by row; borrowed, unchanged
     * @throws NonFiniteException if a value of the sum is not finite; nothing is pending then
     * @throws IllegalStateException if this key is pending already, or a new key is one too many
     */
    public Round begin(String key, MemorySegment gradient, int rows, int columns) throws NonFiniteException {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException("need a matrix of at least 1 x 1, got " + rows + " x " + columns);
        }
        long count = (long) rows * columns;
        Float32.checkRoom(gradient, count);
        int width = Math.min(rank, Math.min(rows, columns));
        long shape = ((long) rows << Integer.SIZE) | columns;
        Remembered tensor = tensors.idle(key, count + (long) columns * width, shape);
        var matrix = new LowRank(rows, columns, width);
        kernels.add(tensor.next(), 0, gradient, 0, tensor.now(), 0, count);
        matrix.loadRight(tensor.now(), count);
        matrix.drawEmptyColumns(new SplittableRandom(seed ^ key.hashCode() ^ (tensor.steps() << Integer.SIZE)));
        return PowerRound.begin(kernels, tensor, matrix);
    }

    @Override
    public void demandRoom(String key) {
        tensors.demandRoom(key);
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
        TensorFile.write(TensorFile.POWER_SGD, tensors.allIdle(), saved);
    }

    @Override
    public void restore(MemorySegment saved) throws MalformedMessageException {
        tensors.allIdle();
        tensors.replace(TensorFile.read(TensorFile.POWER_SGD, tensors.tensorsMax(), saved));
    }

    @Override
    public void close() {
        tensors.close();
    }

    /** What {@code key} is owed, matrix first, then the right factor; for tests. */
    float[] remembered(String key) {
        Remembered tensor = tensors.known(key);
        return tensor == null ? new float[0] : tensor.now().toArray(Float32.FLOAT);
    }
}
