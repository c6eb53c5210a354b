package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One step of {@link ErrorFeedback} with a sparse codec. */
final class ResidualSparsePending extends SparsePending implements SparsePending.ResidualUpdate {
    private final CodecKernels kernels;
    private final MemorySegment gradient;
    private final MemorySegment residual;

    ResidualSparsePending(
            CodecKernels kernels, Workers workers, TensorMemory tensor, MemorySegment own, MemorySegment gradient) {
        super(workers, tensor, 0, own, tensor.floats());
        this.kernels = kernels;
        this.gradient = gradient;
        residual = tensor.now();
    }

    /** All threads share this object, which has no state that changes: it writes each residual in place. */
    @Override
    ResidualUpdate newUpdate(Arena arena) {
        return this;
    }

    @Override
    public void begin(long first, int n, boolean all) {
        long at = first * Float.BYTES;
        if (all) {
            residual.asSlice(at, (long) n * Float.BYTES).fill((byte) 0);
        } else {
            kernels.add(residual, at, gradient, at, residual, at, n);
        }
    }

    @Override
    public void sent(long index, float decoded) {
        long at = index * Float.BYTES;
        residual.set(Float32.FLOAT, at, residual.get(Float32.FLOAT, at) - decoded);
    }
}
