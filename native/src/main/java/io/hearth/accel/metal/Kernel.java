package io.hearth.accel.metal;

import io.hearth.core.DataType;
import java.util.Locale;
import java.util.Optional;

/** The functions of {@code reduce.metal} and {@code codecs.metal}; function {@code combine_float32} is the constant of that name. */
enum Kernel {
    COMBINE_FLOAT32,
    COMBINE_FLOAT16,
    COMBINE_BFLOAT16,
    COMBINE_INT32,
    DIVIDE_FLOAT32,
    DIVIDE_FLOAT16,
    DIVIDE_BFLOAT16,
    DIVIDE_INT32,
    QUANTISE_INT8,
    ADD_INT8,
    SELECT_FLOAT32,
    HISTOGRAM_FLOAT32;

    /** Threads of a group that share memory. */
    static final int LANES = 32;

    /** How many values a group of {@link #HISTOGRAM_FLOAT32} looks at. */
    static final int HISTOGRAM_RUN = 32 * LANES;

    /** How many inputs one dispatch of a combining kernel takes, at least 2. */
    static final int INPUTS_MAX = 4;

    /** Place of the parameters among the arguments: behind the target and all inputs. */
    static final int JOB_INDEX = 1 + INPUTS_MAX;

    /** Words of the largest {@code …Job}. */
    static final int PARAMETERS_MAX = 8;

    private final Optional<Kernel> some = Optional.of(this); // made once, not by each call

    /** How many threads each group has to have, {@link #LANES}; 0 where that does not matter. */
    int lanes() {
        return switch (this) {
            case QUANTISE_INT8, SELECT_FLOAT32, HISTOGRAM_FLOAT32 -> LANES;
            default -> 0;
        };
    }

    String function() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Empty for types that stay on the CPU: GPUs have no float64, and bytes and longs are not worth the way. */
    static Optional<Kernel> combining(DataType type) {
        return switch (type) {
            case FLOAT32 -> COMBINE_FLOAT32.some;
            case FLOAT16 -> COMBINE_FLOAT16.some;
            case BFLOAT16 -> COMBINE_BFLOAT16.some;
            case INT32 -> COMBINE_INT32.some;
            case FLOAT64, INT64, INT8, UINT8 -> Optional.empty();
        };
    }

    /** Empty for types that stay on the CPU. */
    static Optional<Kernel> dividing(DataType type) {
        return switch (type) {
            case FLOAT32 -> DIVIDE_FLOAT32.some;
            case FLOAT16 -> DIVIDE_FLOAT16.some;
            case BFLOAT16 -> DIVIDE_BFLOAT16.some;
            case INT32 -> DIVIDE_INT32.some;
            case FLOAT64, INT64, INT8, UINT8 -> Optional.empty();
        };
    }
}
