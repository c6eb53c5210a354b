package io.hearth.accel;

import io.hearth.core.DataType;
import java.util.Locale;
import java.util.Optional;

/** The kernels in which engines are compared: each may be faster on another engine. */
public enum KernelKind {
    SUM_FLOAT32(DataType.FLOAT32),
    SUM_FLOAT16(DataType.FLOAT16),
    SUM_BFLOAT16(DataType.BFLOAT16),
    SUM_INT32(DataType.INT32),
    /** {@link CodecKernels#quantise} to int8; its measurement counts for {@link CodecKernels#quantiseLeavingError} too. */
    QUANTISE_INT8(DataType.FLOAT32),
    /** {@link CodecKernels#dequantiseAndAdd} of int8. */
    ADD_INT8(DataType.FLOAT32),
    /** {@link CodecKernels#select} of one value in a hundred. */
    SELECT_FLOAT32(DataType.FLOAT32),
    /** {@link CodecKernels#histogram} that counts one value in a hundred. */
    HISTOGRAM_FLOAT32(DataType.FLOAT32);

    private final DataType type;

    KernelKind(DataType type) {
        this.type = type;
    }

    /** The type of the elements. */
    public DataType type() {
        return type;
    }

    /** Name for people and files, such as {@code sum-float32}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the kernel of that name; empty if there is none. */
    public static Optional<KernelKind> named(String text) {
        for (KernelKind kind : values()) {
            if (kind.text().equals(text)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /**
     * The kernel whose measurement counts for {@link Reducer#combine} of a type, whatever the operation; empty for types that only the
     * CPU does.
     */
    public static Optional<KernelKind> combining(DataType type) {
        return named("sum-" + type.name().toLowerCase(Locale.ROOT));
    }
}
