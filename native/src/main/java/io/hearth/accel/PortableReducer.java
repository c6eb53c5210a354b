package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * Plain Java, no flags needed: blocks of both operands are copied into arrays of the element type, because C2 turns plain loops
 * into vector code there and not over native memory (where the two operands might overlap).
 */
final class PortableReducer implements Reducer {
    /** Both operands' blocks and the result stay in a 32 KiB first-level cache. */
    static final int BLOCK_BYTES = 4096;

    private final Kernel float32 = new BlockKernel(new FloatBlock());
    private final Kernel float64 = new BlockKernel(new DoubleBlock());
    private final Kernel float16 = new BlockKernel(new Float16Block());
    private final Kernel bfloat16 = new BlockKernel(new BfloatBlock());
    private final Kernel int32 = new BlockKernel(new IntBlock());
    private final Kernel int64 = new BlockKernel(new LongBlock());
    private final Kernel int8 = new BlockKernel(ByteBlock.signed());
    private final Kernel uint8 = new BlockKernel(ByteBlock.unsigned());

    /** Scratch memory of its own, for one thread at a time. */
    PortableReducer() {
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
            byte[] right,
            int rightOffset,
            int count) {
        Operands.check(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        kernel(type).combine(op, target, targetOffset, left, leftOffset, right, rightOffset, count);
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
        kernel(type).combine(op, target, targetOffset, left, leftOffset, right, rightOffset, count);
    }

    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        Operands.checkDivide(type, values, offset, count, divisor);
        kernel(type).divide(values, offset, count, divisor);
    }

    Kernel kernel(DataType type) {
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
