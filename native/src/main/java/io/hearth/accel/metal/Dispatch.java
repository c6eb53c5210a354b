package io.hearth.accel.metal;

import java.util.List;

/**
 * One kernel over a run of elements.
 *
 * @param buffers the target, then the inputs; each that the kernel declares, also those that it will not read
 * @param job the parameters in the order of the kernel's {@code Job}
 */
record Dispatch(Kernel kernel, List<Place> buffers, Job job) {
    Dispatch {
        buffers = List.copyOf(buffers);
    }

    /** From {@code offset} bytes on within a buffer; a multiple of 4. */
    record Place(Gpu.Buffer buffer, long offset) {
        Place {
            if (offset % 4 != 0) {
                throw new IllegalArgumentException("Metal needs offsets that 4 divides, got " + offset);
            }
        }
    }

    /** {@code op} as an index into SUM, MIN, MAX, PROD; {@code inputs} from 2 to 4. A division reads count and divisor only. */
    record Job(int count, int op, int inputs, int divisor) {
        static final int BYTES = 4 * Integer.BYTES;
    }
}
