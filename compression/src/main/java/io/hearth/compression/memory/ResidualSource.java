package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.format.Float32;
import io.hearth.compression.sparse.Source;
import java.lang.foreign.MemorySegment;

/**
 * {@code gradient[i] + residual[i]}.
 *
 * @param run native memory for the longest run; written
 */
record ResidualSource(CodecKernels kernels, MemorySegment gradient, TensorMemory residual, MemorySegment run)
        implements Source {
    @Override
    public float value(long index) {
        return gradient.get(Float32.FLOAT, index * Float.BYTES) + residual.value(index);
    }

    @Override
    public long make(long first, int n) {
        residual.addTo(gradient, first, run, n, kernels);
        return 0;
    }

    @Override
    public Source over(MemorySegment other) {
        return new ResidualSource(kernels, gradient, residual, other);
    }
}
