package io.hearth.collective.engine;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Reducer;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Runs a callback before it adds. */
record CallingReducer(Reducer reducer, Runnable first) implements Reducer {
    @Override
    public CodecKernels codecKernels() {
        return reducer.codecKernels();
    }

    @Override
    public String name() {
        return reducer.name();
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
        first.run();
        reducer.combine(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
    }

    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        reducer.divide(type, values, offset, count, divisor);
    }
}
