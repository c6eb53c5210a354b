package io.hearth.accel.vector;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.Operands;
import io.hearth.accel.Reducer;
import io.hearth.accel.portable.PortableReducer;
import io.hearth.accel.portable.TypeLoops;
import io.hearth.accel.select.Engines;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * Sums of FLOAT32, BFLOAT16 and INT32, and divisions of the floats among them, by the Vector API straight on native memory, without a
 * copy of either operand. All other types and operations go through arrays as in {@link PortableReducer}: gradients are sums of these
 * three types.
 *
 * <p>Loads from an array and stores to native memory stay unboxed only where a loop sees one kind of memory per operand. So each loop
 * exists twice: with the right operand in a {@code byte[]}, and in native memory.
 *
 * <p>Loading this class needs the module {@code jdk.incubator.vector}; {@link Engines} checks for it first.
 */
public final class VectorReducer implements Reducer {
    private final PortableReducer arrays = new PortableReducer();
    private final FloatVectors float32 = new FloatVectors(arrays.loops(DataType.FLOAT32));
    private final TypeLoops bfloat16 = new BfloatVectors(arrays.loops(DataType.BFLOAT16));
    private final TypeLoops int32 = new IntVectors(arrays.loops(DataType.INT32));

    @Override
    public CodecKernels codecKernels() {
        return new VectorCodecKernels();
    }

    @Override
    public String name() {
        return Engine.VECTOR.label();
    }

    @Override
    public void combine(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        Operands.check(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        loops(type).combine(op, target, targetOffset, left, leftOffset, right, rightOffset, count);
    }

    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        Operands.checkDivide(type, values, offset, count, divisor);
        loops(type).divide(values, offset, count, divisor);
    }

    private TypeLoops loops(DataType type) {
        return switch (type) {
            case FLOAT32 -> float32;
            case BFLOAT16 -> bfloat16;
            case INT32 -> int32;
            case FLOAT64, FLOAT16, INT64, INT8, UINT8 -> arrays.loops(type);
        };
    }
}
