package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One step of {@link ErrorFeedback} with a sparse codec. */
final class ResidualSparsePending extends SparsePending implements SparsePending.Rest {
    private final CodecKernels kernels;
    private final MemorySegment gradient;
    private final MemorySegment owed;

    ResidualSparsePending(
            CodecKernels kernels,
            Workers workers,
            TensorMemory.Encoding encoding,
            MemorySegment own,
            MemorySegment gradient,
            MemorySegment owed,
            long count) {
        super(workers, encoding, own, count);
        this.kernels = kernels;
        this.gradient = gradient;
        this.owed = owed;
    }

    /** All threads share this object, which has no state that changes: it writes each residual in place. */
    @Override
    Rest rest(Arena arena) {
        return this;
    }

    @Override
    public void owe(long first, int n, boolean all) {
        long at = first * Float.BYTES;
        if (all) {
            owed.asSlice(at, (long) n * Float.BYTES).fill((byte) 0);
        } else {
            kernels.add(owed, at, gradient, at, owed, at, n);
        }
    }

    @Override
    public void sent(long index, float decoded) {
        long at = index * Float.BYTES;
        owed.set(Float32.FLOAT, at, owed.get(Float32.FLOAT, at) - decoded);
    }
}
