package io.hearth.accel.metal;

/**
 * One kernel over a run of elements, set step by step: first {@link #begin}, then each buffer that the kernel declares, in the
 * order of the indices and also those that it will not read, then the words of its {@code Job} in order. The next submission reuses it,
 * so that none allocates. One thread at a time uses it.
 */
final class Dispatch {
    private final BufferSlice[] buffers = new BufferSlice[Kernel.JOB_INDEX];
    private final int[] parameters = new int[Kernel.PARAMETERS_MAX];
    private Kernel kernel = Kernel.COMBINE_FLOAT32;
    private long units;
    private int bufferCount;
    private int parameterCount;

    /** A place in a buffer, {@code offset} bytes from its start; a multiple of 4. Its owner sets it again later. */
    static final class BufferSlice {
        private Gpu.Buffer buffer;
        private long offset;

        BufferSlice(Gpu.Buffer buffer) {
            this.buffer = buffer;
        }

        BufferSlice set(Gpu.Buffer buffer, long offset) {
            if (offset % 4 != 0) {
                throw new IllegalArgumentException("offset must be a multiple of 4, got " + offset);
            }
            this.buffer = buffer;
            this.offset = offset;
            return this;
        }

        Gpu.Buffer buffer() {
            return buffer;
        }

        long offset() {
            return offset;
        }
    }

    /** Starts a dispatch; {@code units} as in {@link #units}. */
    Dispatch begin(Kernel kernel, long units) {
        this.kernel = kernel;
        this.units = units;
        bufferCount = 0;
        parameterCount = 0;
        return this;
    }

    /** Adds the next buffer. */
    Dispatch buffer(BufferSlice place) {
        buffers[bufferCount++] = place;
        return this;
    }

    /** Adds the next word of the {@code Job}. */
    Dispatch word(int word) {
        parameters[parameterCount++] = word;
        return this;
    }

    Kernel kernel() {
        return kernel;
    }

    /** Number of elements, or of groups for a kernel with {@link Kernel#lanes}; at least 1. */
    long units() {
        return units;
    }

    int buffers() {
        return bufferCount;
    }

    BufferSlice buffer(int index) {
        return buffers[index];
    }

    int parameters() {
        return parameterCount;
    }

    int parameter(int index) {
        return parameters[index];
    }
}
