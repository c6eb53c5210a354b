package io.hearth.accel;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The GPU for what it takes, another engine for the rest: short runs, types that the GPU does not do, and whatever of a call the
 * GPU left undone.
 */
final class MetalReducer implements Reducer {
    private final MetalEngine metal;
    private final Reducer cpu;

    /** {@code metal} is shared with others, {@code cpu} is this one's own. */
    MetalReducer(MetalEngine metal, Reducer cpu) {
        this.metal = metal;
        this.cpu = cpu;
    }

    @Override
    public String name() {
        return Engine.METAL.label();
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
        int done = 0;
        if (metal.takes(type, count)) {
            MemorySegment[] inputs = {
                left.asSlice(leftOffset), MemorySegment.ofArray(right).asSlice(rightOffset)
            };
            done = metal.combine(type, op, target, targetOffset, inputs, count);
        }
        if (done < count) {
            int at = done * type.bytes(); // within the array, so within an int
            cpu.combine(
                    type, op, target, targetOffset + at, left, leftOffset + at, right, rightOffset + at, count - done);
        }
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
        int done = 0;
        if (metal.takes(type, count)) {
            MemorySegment[] inputs = {left.asSlice(leftOffset), right.asSlice(rightOffset)};
            done = metal.combine(type, op, target, targetOffset, inputs, count);
        }
        if (done < count) {
            long at = (long) done * type.bytes();
            cpu.combine(
                    type, op, target, targetOffset + at, left, leftOffset + at, right, rightOffset + at, count - done);
        }
    }

    @Override
    public void combineAll(
            DataType type, ReduceOp op, MemorySegment target, long targetOffset, MemorySegment[] inputs, int count) {
        Operands.checkAll(type, op, target, targetOffset, inputs, count);
        if (!metal.takes(type, count)) {
            cpu.combineAll(type, op, target, targetOffset, inputs, count);
            return;
        }
        int first = Math.min(inputs.length, MetalEngine.INPUTS_MAX);
        combineSome(type, op, target, targetOffset, Arrays.copyOf(inputs, first), count);
        for (int next = first; next < inputs.length; ) {
            int more = Math.min(inputs.length - next, MetalEngine.INPUTS_MAX - 1);
            var group = new MemorySegment[1 + more];
            group[0] = target.asSlice(targetOffset);
            System.arraycopy(inputs, next, group, 1, more);
            combineSome(type, op, target, targetOffset, group, count);
            next += more;
        }
    }

    private void combineSome(
            DataType type, ReduceOp op, MemorySegment target, long targetOffset, MemorySegment[] inputs, int count) {
        int done = metal.combine(type, op, target, targetOffset, inputs, count);
        if (done < count) {
            long at = (long) done * type.bytes();
            var rest = new MemorySegment[inputs.length];
            for (int i = 0; i < rest.length; i++) {
                rest[i] = inputs[i].asSlice(at);
            }
            cpu.combineAll(type, op, target, targetOffset + at, rest, count - done);
        }
    }

    @Override
    public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        Operands.checkDivide(type, values, offset, count, divisor);
        long done = metal.takes(type, count) ? metal.divide(type, values, offset, count, divisor) : 0;
        if (done < count) {
            cpu.divide(type, values, offset + done * type.bytes(), count - done, divisor);
        }
    }
}
