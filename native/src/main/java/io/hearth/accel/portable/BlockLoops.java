package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Loops over the operands block by block; a block is read whole before it is written, so {@code left} may be the target. */
final class BlockLoops implements TypeLoops {
    private final Block block;
    private final int elementsMax;
    private final int elementBytes;

    /** Owns the block from now on. */
    BlockLoops(Block block) {
        this.block = block;
        elementsMax = block.elementsMax();
        elementBytes = block.elementBytes();
    }

    @Override
    public void combine(
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        int n;
        for (int done = 0; done < count; done += n) {
            n = Math.min(elementsMax, count - done);
            long at = (long) done * elementBytes;
            block.setLeft(left, leftOffset + at, n);
            block.setRight(right, rightOffset + at, n);
            block.combine(op, n);
            block.store(target, targetOffset + at, n);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        int n;
        for (long done = 0; done < count; done += n) {
            n = (int) Math.min(elementsMax, count - done);
            long at = offset + done * elementBytes;
            block.setLeft(values, at, n);
            block.divide(divisor, n);
            block.store(values, at, n);
        }
    }
}
