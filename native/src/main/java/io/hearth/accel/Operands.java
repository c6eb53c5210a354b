package io.hearth.accel;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** The checks that every engine makes of its operands, so that the loops can trust their bounds. */
public final class Operands {
    private Operands() {}

    public static void check(
            DataType type,
            ReduceOp op,
            MemorySegment target,
            long targetOffset,
            MemorySegment left,
            long leftOffset,
            MemorySegment right,
            long rightOffset,
            int count) {
        if (op == ReduceOp.AVG) {
            throw new IllegalArgumentException("AVG is SUM of all contributions and then divide(); combine with SUM");
        }
        checkWritableNative("target", target);
        checkNative("left", left);
        checkRoom("target", type, target.byteSize(), targetOffset, count);
        checkRoom("left", type, left.byteSize(), leftOffset, count);
        checkRoom("right", type, right.byteSize(), rightOffset, count);
        long bytes = (long) count * type.bytes();
        long apart = left.address() + leftOffset - (target.address() + targetOffset);
        if (apart != 0 && Math.abs(apart) < bytes) {
            throw new IllegalArgumentException("need left to be target or apart from it, but its " + bytes
                    + " bytes begin " + apart + " bytes after those of target; give a copy of it");
        }
        long rightApart = right.address() + rightOffset - (target.address() + targetOffset);
        if (right.isNative() && Math.abs(rightApart) < bytes) {
            throw new IllegalArgumentException("need right apart from target, but its " + bytes + " bytes begin "
                    + rightApart + " bytes after those of target; give a copy of it, or swap left and right");
        }
        if (!right.isNative() && !(right.heapBase().orElse(null) instanceof byte[])) {
            throw new IllegalArgumentException("need right in native memory or a writable byte[], got " + right);
        }
    }

    public static void checkDivide(DataType type, MemorySegment values, long offset, long count, int divisor) {
        checkWritableNative("values", values);
        if (divisor < 1) {
            throw new IllegalArgumentException("need divisor >= 1, got " + divisor);
        }
        checkRoom("values", type, values.byteSize(), offset, count);
    }

    private static void checkRoom(String operand, DataType type, long size, long offset, long count) {
        if (count < 0 || offset < 0 || offset > size || count > (size - offset) / type.bytes()) {
            throw new IllegalArgumentException("need " + count + " elements of " + type + " from byte " + offset
                    + " of " + operand + ", which has " + size + " bytes");
        }
    }

    private static void checkWritableNative(String operand, MemorySegment segment) {
        checkNative(operand, segment);
        if (segment.isReadOnly()) {
            throw new IllegalArgumentException("need a writable " + operand + ", got " + segment);
        }
    }

    private static void checkNative(String operand, MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("need " + operand + " in native memory, got " + segment);
        }
    }
}
