package io.hearth.accel.portable;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engine;
import io.hearth.accel.Operands;
import io.hearth.accel.Reducer;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * Plain Java that needs no flags. It copies blocks of both operands into arrays of the element type, because C2 vectorises plain loops
 * over arrays but not over native memory, where the two operands might overlap.
 */
public final class PortableReducer implements Reducer {
    private final TypeLoops float32 = new FloatLoops();
    private final TypeLoops float64 = new BlockLoops(ArrayBlock.ofDoubles());
    private final TypeLoops float16 = new BlockLoops(new Float16Block());
    private final TypeLoops bfloat16 = new BlockLoops(new BfloatBlock());
    private final TypeLoops int32 = new BlockLoops(ArrayBlock.ofInts());
    private final TypeLoops int64 = new BlockLoops(ArrayBlock.ofLongs());
    private final TypeLoops int8 = new BlockLoops(ArrayBlock.ofBytes());
    private final TypeLoops uint8 = new BlockLoops(ArrayBlock.ofUnsignedBytes());

    /** Makes a reducer with its own scratch memory, for one thread at a time. */
    public PortableReducer() {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalStateException("Hearth reduces little-endian data in place; this machine is big-endian");
        }
    }

    @Override
    public CodecKernels codecKernels() {
        return new PortableCodecKernels();
    }

    @Override
    public String name() {
        return Engine.PORTABLE.label();
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

    public TypeLoops loops(DataType type) {
        return switch (type) {
            case FLOAT32 -> float32;
            case FLOAT64 -> float64;
            case FLOAT16 -> float16;
            case BFLOAT16 -> bfloat16;
            case INT32 -> int32;
            case INT64 -> int64;
            case INT8 -> int8;
            case UINT8 -> uint8;
        };
    }
}
