package io.hearth.accel.metal;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
    private byte @Nullable [] array; // the last input, if it is one
    private int arrayOffset;

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
        array = null;
    }

    void add(MemorySegment input, long offset) {
        inputs[inputCount] = input;
        offsets[inputCount++] = offset;
    }

    /** Adds the last input. */
    void add(byte[] input, int offset) {
        array = input;
        arrayOffset = offset;
    }

    /** Runs the call and returns how many elements are done, from the first one on; it keeps no operand afterwards. */
    int run(int count) {
        try {
            return kernel.isEmpty() ? 0 : (int) turns.inPieces(count, turns.countMax(type.bytes(), 1), this);
        } finally {
            target = MemorySegment.NULL;
            array = null;
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
        int placed = 0;
        for (; placed < inputCount; placed++) {
            places[placed] = staging.operand(1 + placed, inputs[placed], offsets[placed] + at, bytes);
        }
        if (array != null) {
            places[placed] = staging.operand(1 + placed, array, Math.toIntExact(arrayOffset + at), bytes);
            placed++;
        }
        Dispatch.BufferSlice even = staging.result(0, bytes);
        Dispatch.BufferSlice odd = Chain.length(placed) > 1 ? staging.result(1 + placed, bytes) : even;
        Dispatch.BufferSlice result =
                Chain.encode(turns.commands(), kernel.orElseThrow(), operation, even, odd, places, placed, count);
        turns.run();
        MemorySegment.copy(result.buffer().contents(), 0, target, targetOffset + at, bytes);
        return true;
    }
}
