package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The checks at the door of every engine, so that the loops behind it can trust their bounds. */
final class Operands {
    private Operands() {}

    static void checkAccumulate(
            DataType type, ReduceOp op, MemorySegment accumulator, byte[] input, int inputOffset, int count) {
        if (op == ReduceOp.AVG) {
            throw new IllegalArgumentException(
                    "AVG is SUM of all contributions and then divide(); accumulate with SUM");
        }
        checkWritableNative(accumulator);
        long bytes = (long) count * type.bytes();
        if (count < 0 || inputOffset < 0 || bytes > input.length - inputOffset || bytes > accumulator.byteSize()) {
            throw new IllegalArgumentException("need room for " + count + " elements of " + type
                    + ", got an input of " + input.length + " bytes from " + inputOffset + " and an accumulator of "
                    + accumulator.byteSize() + " bytes");
        }
    }

    static void checkDivide(DataType type, MemorySegment values, int divisor) {
        checkWritableNative(values);
        if (divisor < 1) {
            throw new IllegalArgumentException("need divisor >= 1, got " + divisor);
        }
        if (values.byteSize() % type.bytes() != 0) {
            throw new IllegalArgumentException(
                    "need whole elements of " + type + ", got " + values.byteSize() + " bytes");
        }
    }

    private static void checkWritableNative(MemorySegment segment) {
        if (!segment.isNative() || segment.isReadOnly()) {
            throw new IllegalArgumentException("need writable native memory, got " + segment);
        }
    }
}
