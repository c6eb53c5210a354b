package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.DrawnIndices;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.MemorySegment;

/** Values drawn by {@link RandomKMemory} that are not yet known to have been summed. */
public final class DrawnPending implements Pending {
    private final CodecKernels kernels;
    private final TensorMemory.Encoding encoding;
    private final DrawnIndices indices;
    private final MemorySegment gradient;
    private final MemorySegment residual;

    /** The memory of {@code tensor} is empty if no residual is kept. */
    DrawnPending(CodecKernels kernels, TensorMemory tensor, DrawnIndices indices, MemorySegment gradient) {
        this.kernels = kernels;
        this.indices = indices;
        this.gradient = gradient;
        residual = tensor.now();
        encoding = tensor.pendReading(
                indices.kept() * Float.BYTES, 0, () -> update(MemorySegment.NULL, MemorySegment.NULL));
    }

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    /**
     * Writes the sum of the tensor: the summed values at the drawn indices, 0 elsewhere. {@link #commit} must follow.
     *
     * @param sums the drawn values of all members, added, in the order in which they were drawn
     * @param sum native memory for as many float32 as the gradient has; written; may be that of the gradient
     */
    public void deliver(MemorySegment sums, MemorySegment sum) {
        encoding.checkPending();
        Float32.checkRoom(sum, indices.count());
        Float32.checkRoom(sums, indices.kept());
        encoding.changeBy(() -> update(sums, sum));
    }

    /** Writes residual and sum run by run, so that one pass over the memory makes both; writes nothing to an empty segment. */
    private void update(MemorySegment sums, MemorySegment sum) {
        var walk = new DrawnIndices.Walk(indices);
        for (long first = 0; first < indices.count(); first += SparseSum.RUN) {
            long at = first * Float.BYTES;
            long end = Math.min(first + SparseSum.RUN, indices.count());
            if (residual.byteSize() > 0) {
                kernels.add(residual, at, gradient, at, residual, at, end - first);
            }
            if (sum.byteSize() > 0) {
                sum.asSlice(at, (end - first) * Float.BYTES).fill((byte) 0);
            }
            for (; walk.isBelow(end); walk.next()) {
                if (residual.byteSize() > 0) {
                    residual.set(Float32.FLOAT, walk.index() * Float.BYTES, 0);
                }
                if (sum.byteSize() > 0) {
                    float drawn = sums.get(Float32.FLOAT, walk.number() * Float.BYTES);
                    sum.set(Float32.FLOAT, walk.index() * Float.BYTES, drawn);
                }
            }
        }
    }

    @Override
    public void gradientEnds() {
        encoding.gradientEnds();
    }

    @Override
    public void commit() {
        encoding.commit();
    }

    @Override
    public void rollback() {
        encoding.rollback();
    }
}
