package io.hearth.accel;

import io.hearth.core.DataType;
import java.util.Locale;
import java.util.Optional;

/** The kernels that engines are compared by: each may be faster on another engine. */
public enum KernelKind {
    SUM_FLOAT32(DataType.FLOAT32),
    SUM_FLOAT16(DataType.FLOAT16),
    SUM_BFLOAT16(DataType.BFLOAT16),
    SUM_INT32(DataType.INT32),
    SUM4_FLOAT32(DataType.FLOAT32),
    SUM4_FLOAT16(DataType.FLOAT16),
    SUM4_BFLOAT16(DataType.BFLOAT16),
    SUM4_INT32(DataType.INT32),
    DIVIDE_FLOAT32(DataType.FLOAT32),
    DIVIDE_FLOAT16(DataType.FLOAT16),
    DIVIDE_BFLOAT16(DataType.BFLOAT16),
    DIVIDE_INT32(DataType.INT32),
    /** {@link CodecKernels#quantise} to int8, which stands for {@link CodecKernels#quantiseLeavingError} too. */
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

    /** Of the elements. */
    public DataType type() {
        return type;
    }

    /** Name for people and files, such as {@code sum4-float32}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The one of that name; empty if there is none. */
    public static Optional<KernelKind> named(String text) {
        for (KernelKind kind : values()) {
            if (kind.text().equals(text)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /** What stands for {@link Reducer#combine} of a type, whatever the operation; empty for types that only the CPU does. */
    public static Optional<KernelKind> combining(DataType type) {
        return named("sum-" + type.name().toLowerCase(Locale.ROOT));
    }

    /** What stands for {@link Reducer#combineAll} of three inputs and more. */
    public static Optional<KernelKind> combiningMany(DataType type) {
        return named("sum4-" + type.name().toLowerCase(Locale.ROOT));
    }

    /** What stands for {@link Reducer#divide}. */
    public static Optional<KernelKind> dividing(DataType type) {
        return named("divide-" + type.name().toLowerCase(Locale.ROOT));
    }
}
