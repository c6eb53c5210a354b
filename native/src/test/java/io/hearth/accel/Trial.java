package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Calls of a reducer on random elements of one type between guard bytes, judged by {@link ScalarOracle} bit for bit; all NaN are equal.
 */
public record Trial(Reducer reducer, SplittableRandom random, DataType type) {
    private static final int GUARD = 64;

    /** The place of the right operand. */
    public enum Right {
        ARRAY,
        NATIVE
    }

    /** The place of the left operand. */
    public enum Left {
        IN_PLACE,
        APART
    }

    /** Each operand begins at another place, {@code shift} bytes and a little more after an alignment of 64 bytes. */
    public void combine(ReduceOp op, Left leftPlace, Right rightPlace, int count, int shift) {
        int bytes = count * type.bytes();
        try (var arena = Arena.ofConfined()) {
            MemorySegment target = guarded(arena, bytes + shift);
            MemorySegment left = leftPlace == Left.IN_PLACE ? target : guarded(arena, bytes + 2 * shift);
            MemorySegment right = guarded(arena, bytes + 3 * shift);
            int targetOffset = GUARD + shift;
            int leftOffset = leftPlace == Left.IN_PLACE ? targetOffset : GUARD + 2 * shift;
            int rightOffset = GUARD + 3 * shift;
            fill(right, rightOffset, count);
            fill(left, leftOffset, count);
            MemorySegment lefts = copy(arena, left);
            MemorySegment rights = copy(arena, right);
            switch (rightPlace) {
                case NATIVE ->
                    reducer.combine(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
                case ARRAY -> {
                    MemorySegment array = MemorySegment.ofArray(right.toArray(ValueLayout.JAVA_BYTE));
                    reducer.combine(type, op, target, targetOffset, left, leftOffset, array, rightOffset, count);
                    assertEquals(-1, array.mismatch(rights), "right is only borrowed");
                }
            }
            assertEquals(-1, right.mismatch(rights), "right is only borrowed");
            if (leftPlace == Left.APART) {
                assertEquals(-1, left.mismatch(lefts), "left is only borrowed");
            }
            assertGuardsIntact(target, targetOffset, bytes);
            for (int i = 0; i < count; i++) {
                long at = (long) i * type.bytes();
                long one = Elements.get(lefts, type, leftOffset + at);
                long other = Elements.get(rights, type, rightOffset + at);
                long expected = ScalarOracle.combine(type, op, one, other);
                judge(op + " " + leftPlace + " " + rightPlace, i, count, expected, target, targetOffset + at);
            }
        }
    }

    public void divide(int count, int divisor, int shift) {
        int bytes = count * type.bytes();
        try (var arena = Arena.ofConfined()) {
            MemorySegment values = guarded(arena, bytes + shift);
            int offset = GUARD + shift;
            fill(values, offset, count);
            MemorySegment before = copy(arena, values);
            reducer.divide(type, values, offset, count, divisor);
            assertGuardsIntact(values, offset, bytes);
            for (int i = 0; i < count; i++) {
                long at = offset + (long) i * type.bytes();
                long expected = ScalarOracle.divide(type, Elements.get(before, type, at), divisor);
                judge("/ " + divisor, i, count, expected, values, at);
            }
        }
    }

    private void fill(MemorySegment memory, long offset, int count) {
        for (int i = 0; i < count; i++) {
            Elements.set(memory, type, offset + (long) i * type.bytes(), Elements.random(random, type));
        }
    }

    private static MemorySegment guarded(Arena arena, int bytes) {
        return arena.allocate(bytes + 2L * GUARD, 64).fill((byte) 0x5a);
    }

    private static MemorySegment copy(Arena arena, MemorySegment memory) {
        return arena.allocate(memory.byteSize()).copyFrom(memory);
    }

    private static void assertGuardsIntact(MemorySegment memory, long offset, int bytes) {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (i == offset) {
                i += bytes;
            }
            assertEquals(0x5a, memory.get(ValueLayout.JAVA_BYTE, i), "byte outside the elements");
        }
    }

    /** Compares one element at its place with the expected one. */
    public void judge(String what, int index, int count, long expected, MemorySegment memory, long offset) {
        long actual = Elements.get(memory, type, offset);
        boolean nans = ScalarOracle.isNan(type, expected) && ScalarOracle.isNan(type, actual);
        if (actual != expected && !nans) {
            fail(type + " " + what + " at " + index + " of " + count + ": expected bits " + Long.toHexString(expected)
                    + ", got " + Long.toHexString(actual));
        }
    }
}
