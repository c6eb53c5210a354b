package io.hearth.accel.metal;

import io.hearth.core.DataType;
import java.util.Locale;
import java.util.Optional;

/** The functions of {@code reduce.metal} and {@code codecs.metal}; a constant has the name of its function in capitals. */
enum Kernel {
    COMBINE_FLOAT32,
    COMBINE_FLOAT16,
    COMBINE_BFLOAT16,
    COMBINE_INT32,
    QUANTISE_INT8,
    ADD_INT8,
    SELECT_FLOAT32,
    HISTOGRAM_FLOAT32;

    /** Threads of a group that share memory. */
    static final int LANES = 32;

    /** Values of one group of {@link #HISTOGRAM_FLOAT32}. */
    static final int HISTOGRAM_RUN = 32 * LANES;

    /** Index of the parameters among the arguments: after the buffers of the kernel that has most. */
    static final int JOB_INDEX = 4;

    /** Words of the largest {@code …Job}. */
    static final int PARAMETERS_MAX = 8;

    private final Optional<Kernel> some = Optional.of(this); // made once, so that no call allocates

    /** The number of threads that each group must have, {@link #LANES}; 0 if any number will do. */
    int lanes() {
        return switch (this) {
            case QUANTISE_INT8, SELECT_FLOAT32, HISTOGRAM_FLOAT32 -> LANES;
            default -> 0;
        };
    }

    String function() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The kernel that combines a type; empty for types that stay on the CPU: GPUs have no float64, and bytes and longs are not worth a
     * submission.
     */
    static Optional<Kernel> combining(DataType type) {
        return switch (type) {
            case FLOAT32 -> COMBINE_FLOAT32.some;
            case FLOAT16 -> COMBINE_FLOAT16.some;
            case BFLOAT16 -> COMBINE_BFLOAT16.some;
            case INT32 -> COMBINE_INT32.some;
            case FLOAT64, INT64, INT8, UINT8 -> Optional.empty();
        };
    }
}
