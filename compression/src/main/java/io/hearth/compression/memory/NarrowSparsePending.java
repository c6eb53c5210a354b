package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One step of {@link ErrorFeedback} with a sparse codec and a bfloat16 memory: converts the residual to float32 run by run, and rounds it
 * again.
 */
final class NarrowSparsePending extends SparsePending {
    private final CodecKernels kernels;
    private final MemorySegment gradient;
    private final TensorMemory residual;
    private final long draw;

    /** {@code draw} is the seed of the rounding. */
    NarrowSparsePending(
            CodecKernels kernels,
            Workers workers,
            TensorMemory residual,
            MemorySegment own,
            MemorySegment gradient,
            long draw) {
        super(workers, residual, 0, own, residual.floats());
        this.kernels = kernels;
        this.gradient = gradient;
        this.residual = residual;
        this.draw = draw;
    }

    @Override
    ResidualUpdate newUpdate(Arena arena) {
        return new Wide(arena.allocate(Float32.FLOAT, SparseSum.RUN));
    }

    private final class Wide implements ResidualUpdate {
        private final MemorySegment run;
        private long start;

        Wide(MemorySegment run) {
            this.run = run;
        }

        @Override
        public void begin(long first, int n, boolean all) {
            start = first;
            if (all) {
                run.asSlice(0, (long) n * Float.BYTES).fill((byte) 0);
            } else {
                residual.load(residual.now(), first, run, n);
                kernels.add(run, 0, gradient, first * Float.BYTES, run, 0, n);
            }
        }

        @Override
        public void sent(long index, float decoded) {
            long at = (index - start) * Float.BYTES;
            run.set(Float32.FLOAT, at, run.get(Float32.FLOAT, at) - decoded);
        }

        @Override
        public void end(long first, int n) {
            residual.keep(run, residual.now(), first, n, draw);
        }
    }
}
