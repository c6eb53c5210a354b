package io.hearth.accel.metal;

/**
 * One kernel over a run of elements, told step by step: first {@link Commands#add}, then each buffer that the kernel declares in
 * the order of their indices, also those that it will not read, then the words of its {@code Job} in order. Reused from one command
 * buffer to the next, so that a submission makes no garbage.
 */
final class Dispatch {
    private final Place[] buffers = new Place[Kernel.JOB_INDEX];
    private final int[] parameters = new int[Kernel.PARAMETERS_MAX];
    private Kernel kernel = Kernel.COMBINE_FLOAT32;
    private long units;
    private int bufferCount;
    private int parameterCount;

    /** From {@code offset} bytes on within a buffer; a multiple of 4. Its owner sets it anew later. */
    static final class Place {
        private Gpu.Buffer buffer;
        private long offset;

        Place(Gpu.Buffer buffer) {
            this.buffer = buffer;
        }

        Place set(Gpu.Buffer buffer, long offset) {
            if (offset % 4 != 0) {
                throw new IllegalArgumentException("Metal needs offsets that 4 divides, got " + offset);
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

    /** {@code units} as {@link #units} has it. */
    Dispatch begin(Kernel kernel, long units) {
        this.kernel = kernel;
        this.units = units;
        bufferCount = 0;
        parameterCount = 0;
        return this;
    }

    /** The next buffer. */
    Dispatch buffer(Place place) {
        buffers[bufferCount++] = place;
        return this;
    }

    /** The next word of the {@code Job}. */
    Dispatch word(int word) {
        parameters[parameterCount++] = word;
        return this;
    }

    /**
     * All words of a combination or a division.
     *
     * @param op as an index into SUM, MIN, MAX, PROD
     * @param inputs from 2 to 4; a division reads count and divisor only
     * @param divisor as a whole number and, rounded here and not by the GPU, as bits of a float32
     */
    Dispatch reducing(int count, int op, int inputs, int divisor) {
        return word(count).word(op).word(inputs).word(divisor).word(Float.floatToRawIntBits(divisor));
    }

    Kernel kernel() {
        return kernel;
    }

    /** Elements, or groups of {@link Kernel#lanes} threads where the kernel has such; at least 1. */
    long units() {
        return units;
    }

    int buffers() {
        return bufferCount;
    }

    Place buffer(int index) {
        return buffers[index];
    }

    int parameters() {
        return parameterCount;
    }

    int parameter(int index) {
        return parameters[index];
    }
}
