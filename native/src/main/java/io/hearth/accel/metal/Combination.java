package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** One call that combines two operands; the next call reuses it, so that no call allocates. The thread that has the turn uses it. */
final class Combination implements GpuTurns.Piece {
    private final GpuTurns turns;
    private Kernel kernel = Kernel.COMBINE_FLOAT32;
    private int elementBytes;
    private int operation;
    private MemorySegment target = MemorySegment.NULL;
    private long targetOffset;
    private MemorySegment left = MemorySegment.NULL;
    private long leftOffset;
    private MemorySegment right = MemorySegment.NULL;
    private long rightOffset;

    Combination(GpuTurns turns) {
        this.turns = turns;
    }

    /** As {@link MetalEngine#combine}; keeps no operand afterwards. */
    int run(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        operation = switch (op) {
            case SUM -> 0;
            case MIN -> 1;
            case MAX -> 2;
            case PROD -> 3;
            case AVG -> throw new IllegalArgumentException("AVG is SUM of all contributions and then divide()");
        };
        var combining = Kernel.combining(type);
        if (combining.isEmpty()) {
            return 0;
        }
        kernel = combining.get();
        elementBytes = type.bytes();
        this.target = target;
        this.targetOffset = targetOffset;
        this.left = left;
        this.leftOffset = leftOffset;
        this.right = right;
        this.rightOffset = rightOffset;
        try {
            return (int) turns.inPieces(count, turns.countMax(elementBytes, 1), this);
        } finally {
            this.target = MemorySegment.NULL;
            this.left = MemorySegment.NULL;
            this.right = MemorySegment.NULL;
        }
    }

    @Override
    public boolean run(long first, int count) throws MetalException {
        long at = first * elementBytes;
        int bytes = count * elementBytes;
        Staging staging = turns.staging();
        Dispatch.BufferSlice result = staging.result(0, bytes);
        turns.dispatch(kernel, count)
                .buffer(result)
                .buffer(staging.operand(1, left, leftOffset + at, bytes))
                .buffer(staging.operand(2, right, rightOffset + at, bytes))
                .word(count)
                .word(operation);
        turns.run();
        MemorySegment.copy(result.buffer().contents(), 0, target, targetOffset + at, bytes);
        return true;
    }
}
