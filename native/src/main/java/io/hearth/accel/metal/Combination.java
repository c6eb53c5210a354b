package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * One call that combines inputs: set step by step, then run. The next call reuses it, so that no call allocates. The thread that has the
 * turn uses it.
 */
final class Combination implements GpuTurns.Piece {
    private final GpuTurns turns;
    private final MemorySegment[] inputs = new MemorySegment[MetalEngine.INPUTS_MAX];
    private final long[] offsets = new long[MetalEngine.INPUTS_MAX];
    private final Dispatch.BufferSlice[] places = new Dispatch.BufferSlice[MetalEngine.INPUTS_MAX];
    private Optional<Kernel> kernel = Optional.empty();
    private DataType type = DataType.FLOAT32;
    private int operation;
    private MemorySegment target = MemorySegment.NULL;
    private long targetOffset;
    private int inputCount;

    Combination(GpuTurns turns) {
        this.turns = turns;
    }

    /** Starts a call; {@code op} must not be AVG. */
    void begin(DataType type, ReduceOp op, MemorySegment target, long targetOffset) {
        operation = switch (op) {
            case SUM -> 0;
            case MIN -> 1;
            case MAX -> 2;
            case PROD -> 3;
            case AVG -> throw new IllegalArgumentException("AVG is SUM of all contributions and then divide()");
        };
        kernel = Kernel.combining(type);
        this.type = type;
        this.target = target;
        this.targetOffset = targetOffset;
        inputCount = 0;
    }

    void add(MemorySegment input, long offset) {
        inputs[inputCount] = input;
        offsets[inputCount++] = offset;
    }

    /** Runs the call and returns how many elements are done, from the first one on; it keeps no operand afterwards. */
    int run(int count) {
        try {
            return kernel.isEmpty() ? 0 : (int) turns.inPieces(count, turns.countMax(type.bytes(), 1), this);
        } finally {
            target = MemorySegment.NULL;
            for (int i = 0; i < inputCount; i++) {
                inputs[i] = MemorySegment.NULL;
            }
        }
    }

    @Override
    public boolean run(long first, int count) throws MetalException {
        long at = first * type.bytes();
        int bytes = count * type.bytes();
        Staging staging = turns.staging();
        for (int i = 0; i < inputCount; i++) {
            places[i] = staging.operand(1 + i, inputs[i], offsets[i] + at, bytes);
        }
        Dispatch.BufferSlice even = staging.result(0, bytes);
        Dispatch.BufferSlice odd = Chain.length(inputCount) > 1 ? staging.result(1 + inputCount, bytes) : even;
        Dispatch.BufferSlice result =
                Chain.encode(turns.commands(), kernel.orElseThrow(), operation, even, odd, places, inputCount, count);
        turns.run();
        MemorySegment.copy(result.buffer().contents(), 0, target, targetOffset + at, bytes);
        return true;
    }
}
