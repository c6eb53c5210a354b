package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.MemorySegment;

/** Values that come into being chunk by chunk, so that whoever looks at them first finds them in the cache. */
interface Source {
    /** Where they are. */
    MemorySegment values();

    /** What value {@code index} is or will be: for samples. */
    float value(long index);

    /** Makes {@code n} values from {@code first} on; called once for each, in order. */
    void make(long first, int n);

    /** Values that are there. */
    static Source of(MemorySegment values) {
        return new Source() {
            @Override
            public MemorySegment values() {
                return values;
            }

            @Override
            public float value(long index) {
                return values.get(Float32.FLOAT, index * Float.BYTES);
            }

            @Override
            public void make(long first, int n) {}
        };
    }

    /** {@code left[i] = gradient[i] + owed[i]}. */
    static Source sum(CodecKernels kernels, MemorySegment gradient, MemorySegment owed, MemorySegment left) {
        return new Source() {
            @Override
            public MemorySegment values() {
                return left;
            }

            @Override
            public float value(long index) {
                long offset = index * Float.BYTES;
                return gradient.get(Float32.FLOAT, offset) + owed.get(Float32.FLOAT, offset);
            }

            @Override
            public void make(long first, int n) {
                long offset = first * Float.BYTES;
                kernels.add(left, offset, gradient, offset, owed, offset, n);
            }
        };
    }
}
