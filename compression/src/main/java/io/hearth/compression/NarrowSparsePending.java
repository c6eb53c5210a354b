package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.MemorySegment;

/** One step of {@link ErrorFeedback} with a sparse codec and a narrow memory: run by run what is owed is made wide, and rounded again. */
final class NarrowSparsePending extends SparsePending {
    private final CodecKernels kernels;
    private final MemorySegment gradient;
    private final Remembered owed;
    private final MemorySegment run;
    private final long draw;
    private long start;

    /** {@code run}: room for {@link SparseSum#RUN} values, which are not kept. */
    NarrowSparsePending(
            CodecKernels kernels,
            Remembered.Encoding encoding,
            MemorySegment own,
            MemorySegment gradient,
            Remembered owed,
            MemorySegment run,
            long draw) {
        super(encoding, own, owed.floats());
        this.kernels = kernels;
        this.gradient = gradient;
        this.owed = owed;
        this.run = run;
        this.draw = draw;
    }

    @Override
    void owe(long first, int n, boolean all) {
        start = first;
        if (all) {
            run.asSlice(0, (long) n * Float.BYTES).fill((byte) 0);
        } else {
            owed.load(owed.now(), first, run, n);
            kernels.add(run, 0, gradient, first * Float.BYTES, run, 0, n);
        }
    }

    @Override
    void sent(long index, float decoded) {
        long at = (index - start) * Float.BYTES;
        run.set(Float32.FLOAT, at, run.get(Float32.FLOAT, at) - decoded);
    }

    @Override
    void settle(long first, int n) {
        owed.keep(run, owed.now(), first, n, draw);
    }
}
