package io.hearth.accel;

import java.lang.foreign.MemorySegment;

/** The checks that every codec kernel makes of its operands. */
public final class CodecOperands {
    private CodecOperands() {}

    public static void checkValues(String operand, MemorySegment values, long offset, long count, boolean written) {
        if (!values.isNative() || (written && values.isReadOnly())) {
            throw new IllegalArgumentException(
                    "need " + operand + " in " + (written ? "writable " : "") + "native memory, got " + values);
        }
        checkRoom(operand, values, offset, count, count > Long.MAX_VALUE / Float.BYTES ? -1 : count * Float.BYTES);
    }

    public static void checkBody(BlockFormat format, MemorySegment body, long offset, long count, boolean written) {
        if (written && body.isReadOnly()) {
            throw new IllegalArgumentException("need a writable body, got " + body);
        }
        checkRoom("body", body, offset, count, count < 0 ? -1 : format.bytes(count));
    }

    public static void checkHalves(MemorySegment halves, long offset, long count, boolean written) {
        if (written && halves.isReadOnly()) {
            throw new IllegalArgumentException("need writable halves, got " + halves);
        }
        checkRoom("halves", halves, offset, count, count > Long.MAX_VALUE / Short.BYTES ? -1 : count * Short.BYTES);
    }

    public static void checkSelect(MemorySegment values, long offset, int count, int[] indices) {
        checkValues("values", values, offset, count, false);
        if (count > indices.length - CodecKernels.SELECT_SLACK) {
            throw new IllegalArgumentException(
                    "need " + count + " + " + CodecKernels.SELECT_SLACK + " places for indices, got " + indices.length);
        }
    }

    private static void checkRoom(String operand, MemorySegment memory, long offset, long count, long bytes) {
        if (count < 0 || bytes < 0 || offset < 0 || offset > memory.byteSize() || bytes > memory.byteSize() - offset) {
            throw new IllegalArgumentException("need " + count + " values from byte " + offset + " of " + operand
                    + ", which has " + memory.byteSize() + " bytes");
        }
    }
}
