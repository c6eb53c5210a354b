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

    private final Kernel float32 = new FloatBlocks();
    private final Kernel float64 = new DoubleBlocks();
    private final Kernel float16 = new Float16Blocks();
    private final Kernel bfloat16 = new BfloatBlocks();
    private final Kernel int32 = new IntBlocks();
    private final Kernel int64 = new LongBlocks();
    private final Kernel int8 = ByteBlocks.signed();
    private final Kernel uint8 = ByteBlocks.unsigned();

    /** Scratch memory of its own, for one thread at a time. */
    PortableReducer() {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalStateException("Hearth reduces little-endian data in place; this machine is big-endian");
        }
    }

    @Override
    public String name() {
        return Engine.PORTABLE.label();
    }

    @Override
    public void accumulate(
            DataType type, ReduceOp op, MemorySegment accumulator, byte[] input, int inputOffset, int count) {
        Operands.checkAccumulate(type, op, accumulator, input, inputOffset, count);
        kernel(type).accumulate(op, accumulator, 0, input, inputOffset, count);
    }

    @Override
    public void divide(DataType type, MemorySegment values, int divisor) {
        Operands.checkDivide(type, values, divisor);
        kernel(type).divide(values, 0, values.byteSize() / type.bytes(), divisor);
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
