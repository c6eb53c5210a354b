package io.hearth.accel.metal;

import java.util.List;

/**
 * One kernel over a run of elements.
 *
 * @param buffers each that the kernel declares, in the order of their indices, also those that it will not read
 * @param parameters the words of the kernel's {@code Job}, in order
 * @param units elements, or groups of {@link Kernel#lanes} threads where the kernel has such; at least 1
 */
record Dispatch(Kernel kernel, List<Place> buffers, List<Integer> parameters, long units) {
    Dispatch {
        buffers = List.copyOf(buffers);
        parameters = List.copyOf(parameters);
    }

    /** What a combination or a division writes. */
    Place target() {
        return buffers.getFirst();
    }

    /** From {@code offset} bytes on within a buffer; a multiple of 4. */
    record Place(Gpu.Buffer buffer, long offset) {
        Place {
            if (offset % 4 != 0) {
                throw new IllegalArgumentException("Metal needs offsets that 4 divides, got " + offset);
            }
        }
    }

    /**
     * A combination or a division.
     *
     * @param buffers the target, then the inputs
     * @param op as an index into SUM, MIN, MAX, PROD
     * @param inputs from 2 to 4; a division reads count and divisor only
     * @param divisor as a whole number and, rounded here and not by the GPU, as bits of a float32
     */
    static Dispatch reducing(Kernel kernel, List<Place> buffers, int count, int op, int inputs, int divisor) {
        return new Dispatch(
                kernel, buffers, List.of(count, op, inputs, divisor, Float.floatToRawIntBits(divisor)), count);
    }
}
