package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.MatrixKernels;
import io.hearth.compression.MaxMagnitude;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * One gradient on its way through both sums of {@link PowerSgdMemory}; the caller makes the calls in this order. Owns the factors until it
 * ends, and leaves gradient and memory unchanged until it delivers.
 */
public final class PowerRound implements Pending {
    private enum Stage {
        LEFT,
        RIGHT,
        DONE,
        DELIVERED,
        SPOILT,
        ENDED
    }

    private final CodecKernels kernels;
    private final MatrixKernels matrices;
    private final boolean remembers;
    private final TensorMemory tensor;
    private final MemorySegment gradient;
    private final long count;
    private final int columns;
    private final int width;
    private final TensorMemory.Encoding encoding;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment left;
    private final MemorySegment right;
    private final float[] orthogonal;
    private final float[] ownRight;
    private final float[] meanRight;
    private Stage stage = Stage.LEFT;

    /** {@code tensor} holds a residual of {@code count} values, then a right factor. */
    PowerRound(
            CodecKernels kernels,
            boolean remembers,
            TensorMemory tensor,
            MemorySegment gradient,
            long count,
            int columns,
            int width) {
        this.kernels = kernels;
        this.remembers = remembers;
        this.matrices = kernels.matrices();
        this.tensor = tensor;
        this.gradient = gradient;
        this.count = count;
        this.columns = columns;
        this.width = width;
        orthogonal = new float[Math.toIntExact(Math.multiplyExact(Math.ceilDiv(count, (long) columns), (long) width))];
        ownRight = new float[Math.multiplyExact(columns, width)];
        meanRight = new float[ownRight.length];
        left = arena.allocate(Float32.FLOAT, orthogonal.length);
        right = arena.allocate(Float32.FLOAT, ownRight.length);
        encoding = tensor.pend(
                left.byteSize() + right.byteSize(),
                tensor.note(),
                () -> Float32.store(meanRight, tensor.now(), count, meanRight.length));
    }

    /**
     * Computes this member's left factor.
     *
     * @param random for lines of the right factor that are 0
     * @throws NonFiniteException if gradient plus residual is not finite, or too large; the round is over then
     */
    PowerRound begin(SplittableRandom random) throws NonFiniteException {
        Float32.load(tensor.now(), count, ownRight, ownRight.length);
        drawEmptyLines(random);
        matrices.left(gradient, residual(), count, columns, ownRight, width, orthogonal);
        for (int i = 0; i < orthogonal.length; i++) {
            if (!Float.isFinite(orthogonal[i])) {
                NonFiniteException notFinite = notFinite((long) (i / width) * columns);
                rollback();
                throw notFinite;
            }
        }
        Float32.store(orthogonal, left, 0, orthogonal.length);
        return this;
    }

    private MemorySegment residual() {
        return tensor.now();
    }

    /** Fills lines that are all 0 with a random direction, because a line of zeros would stay zero for ever. */
    private void drawEmptyLines(SplittableRandom random) {
        for (int k = 0; k < width; k++) {
            boolean isEmpty = true;
            for (int c = k * columns; c < (k + 1) * columns; c++) {
                isEmpty &= ownRight[c] == 0;
            }
            for (int c = k * columns; isEmpty && c < (k + 1) * columns; c++) {
                ownRight[c] = (float) random.nextDouble(-1, 1);
            }
        }
    }

    /** The reason why a product with the row that begins at {@code first} is not finite. */
    private NonFiniteException notFinite(long first) {
        long end = Math.min(count, first + columns);
        long largest = first;
        for (long i = first; i < end; i++) {
            if (!Float.isFinite(sum(i))) {
                return new NonFiniteException(i, sum(i));
            }
            largest = Math.abs(sum(i)) > Math.abs(sum(largest)) ? i : largest;
        }
        return NonFiniteException.tooLarge(largest, sum(largest));
    }

    private float sum(long index) {
        return gradient.get(Float32.FLOAT, index * Float.BYTES) + residual().get(Float32.FLOAT, index * Float.BYTES);
    }

    /** The left factor, {@code rows * rank} float32 in native memory: to be summed in place over all members. */
    public MemorySegment left() {
        need(Stage.LEFT);
        return left;
    }

    /**
     * Takes the mean of the left factors.
     *
     * @param contributors number of factors that were summed, at least 1
     * @throws NonFiniteException if the sum is not finite; only {@link #rollback} may follow then
     */
    public void leftSummed(int contributors) throws NonFiniteException {
        need(Stage.LEFT);
        mean(left, contributors);
        Float32.load(left, 0, orthogonal, orthogonal.length);
        GramSchmidt.orthonormalise(orthogonal, width);
        matrices.right(gradient, residual(), count, columns, orthogonal, width, ownRight);
        Float32.store(ownRight, right, 0, ownRight.length);
        stage = Stage.RIGHT;
    }

    /** The right factor, {@code columns * rank} float32 in native memory: to be summed in place over all members. */
    public MemorySegment right() {
        need(Stage.RIGHT);
        return right;
    }

    /** As {@link #leftSummed}, for the right factors. */
    public void rightSummed(int contributors) throws NonFiniteException {
        need(Stage.RIGHT);
        mean(right, contributors);
        Float32.load(right, 0, meanRight, meanRight.length);
        stage = Stage.DONE;
    }

    /**
     * Writes the mean of all members' gradients, as far as a matrix of this rank can express it, and computes the residual;
     * {@link #commit} must follow.
     *
     * @param mean native memory for as many float32 as the gradient has; written; may be that of the gradient
     */
    public void deliver(MemorySegment mean) {
        Float32.checkRoom(mean, count);
        gradientEnds();
        matrices.product(orthogonal, meanRight, width, mean, count, columns);
    }

    /** The residual is the difference between the matrix and the product with this member's own right factor. */
    @Override
    public void gradientEnds() {
        need(Stage.DONE);
        if (remembers) {
            matrices.lessProduct(gradient, residual(), orthogonal, ownRight, width, residual(), count, columns);
        }
        stage = Stage.DELIVERED;
    }

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    /** The mean was used: the residual is kept, and the next round starts from these factors. */
    @Override
    public void commit() {
        if (stage != Stage.DELIVERED) {
            gradientEnds();
        }
        encoding.commit();
        end();
    }

    /**
     * The round was abandoned: the memory is as before {@link PowerSgdMemory#begin}. Allowed at any time before the end; if the mean
     * was delivered already, the residual becomes 0.
     */
    @Override
    public void rollback() {
        if (stage == Stage.ENDED) {
            throw new IllegalStateException("this round ended before");
        }
        if (stage == Stage.DELIVERED) {
            encoding.forget();
        }
        encoding.rollback();
        end();
    }

    private void end() {
        stage = Stage.ENDED;
        arena.close();
    }

    private void need(Stage needed) {
        if (stage != needed) {
            throw new IllegalStateException(
                    "the calls of a round are left, leftSummed, right, rightSummed, deliver, commit, in this order: "
                            + "this call needs stage " + needed + ", got stage " + stage);
        }
    }

    private void mean(MemorySegment factor, int contributors) throws NonFiniteException {
        if (contributors < 1) {
            throw new IllegalArgumentException("need at least 1 contributor, got " + contributors);
        }
        long values = factor.byteSize() / Float.BYTES;
        try {
            MaxMagnitude.requireFinite(kernels, factor, values);
        } catch (NonFiniteException spoilt) {
            stage = Stage.SPOILT;
            throw NonFiniteException.inFactors(spoilt.index(), spoilt.value());
        }
        for (long i = 0; i < values; i++) {
            factor.setAtIndex(Float32.FLOAT, i, factor.getAtIndex(Float32.FLOAT, i) / contributors);
        }
    }
}
