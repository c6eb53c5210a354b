package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One round of {@link PowerSgd}; owns the factors until it ends. */
final class PowerRound implements PowerSgd.Round {
    private enum Stage {
        LEFT,
        RIGHT,
        DONE,
        SPOILT,
        ENDED
    }

    private final CodecKernels kernels;
    private final Remembered tensor;
    private final LowRank matrix;
    private final Pending pending;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment left;
    private final MemorySegment right;
    private final float[] orthogonal;
    private Stage stage = Stage.LEFT;

    private PowerRound(CodecKernels kernels, Remembered tensor, LowRank matrix) {
        this.kernels = kernels;
        this.tensor = tensor;
        this.matrix = matrix;
        orthogonal = new float[matrix.rows() * matrix.width()];
        left = arena.allocate(Float32.FLOAT, orthogonal.length);
        right = arena.allocate(Float32.FLOAT, (long) matrix.columns() * matrix.width());
        pending = tensor.pend(left.byteSize() + right.byteSize(), 0);
    }

    /** With the sum of gradient and owed in the tensor's next memory. */
    static PowerRound begin(CodecKernels kernels, Remembered tensor, LowRank matrix) throws NonFiniteException {
        Float32.checkFinite(kernels, tensor.next(), matrix.count());
        var round = new PowerRound(kernels, tensor, matrix);
        matrix.multiply(tensor.next(), round.orthogonal);
        Float32.store(round.orthogonal, round.left, 0, round.orthogonal.length);
        return round;
    }

    @Override
    public MemorySegment left() {
        need(Stage.LEFT);
        return left;
    }

    @Override
    public void leftSummed(int contributors) throws NonFiniteException {
        need(Stage.LEFT);
        mean(left, contributors);
        Float32.load(left, 0, orthogonal, orthogonal.length);
        matrix.orthogonalise(orthogonal);
        matrix.multiplyTransposed(tensor.next(), orthogonal);
        matrix.storeRight(right, 0);
        matrix.product(orthogonal, tensor.next(), true); // what the own factors lack is owed
        stage = Stage.RIGHT;
    }

    @Override
    public MemorySegment right() {
        need(Stage.RIGHT);
        return right;
    }

    @Override
    public void rightSummed(int contributors) throws NonFiniteException {
        need(Stage.RIGHT);
        mean(right, contributors);
        matrix.loadRight(right, 0);
        matrix.storeRight(tensor.next(), matrix.count());
        stage = Stage.DONE;
    }

    @Override
    public void approximation(MemorySegment mean) {
        need(Stage.DONE);
        Float32.checkRoom(mean, matrix.count());
        matrix.product(orthogonal, mean, false);
    }

    @Override
    public void commit() {
        need(Stage.DONE);
        pending.commit();
        end();
    }

    @Override
    public void rollback() {
        if (stage == Stage.ENDED) {
            throw new IllegalStateException("this round has ended before");
        }
        pending.rollback();
        end();
    }

    private void end() {
        stage = Stage.ENDED;
        arena.close();
    }

    private void need(Stage needed) {
        if (stage != needed) {
            throw new IllegalStateException("a round goes left, leftSummed, right, rightSummed, approximation, commit: "
                    + "this call needs the stage " + needed + ", it is at " + stage);
        }
    }

    private void mean(MemorySegment factor, int contributors) throws NonFiniteException {
        if (contributors < 1) {
            throw new IllegalArgumentException("need at least 1 contributor, got " + contributors);
        }
        long count = factor.byteSize() / Float.BYTES;
        try {
            Float32.checkFinite(kernels, factor, count);
        } catch (NonFiniteException spoilt) {
            stage = Stage.SPOILT;
            throw spoilt;
        }
        for (long i = 0; i < count; i++) {
            factor.setAtIndex(Float32.FLOAT, i, factor.getAtIndex(Float32.FLOAT, i) / contributors);
        }
    }
}
