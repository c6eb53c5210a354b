package io.hearth.accel.portable;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * BFLOAT16, the upper half of a float32, in arrays; combined as float32 and rounded back after each operation.
 *
 * <p>Two values share an int: one becomes a float32 by clearing the other, the other by a shift. A copy of the whole block turns bits
 * into values and back. C2 vectorises neither loops over {@code short} with shifts nor {@link Float#intBitsToFloat}, so this way is twice
 * as fast as the plain one.
 */
public final class BfloatBlock implements Block {
    /**
     * Added to the lower half, this carries into the upper one if the next value up is nearer; a tie needs one more where the upper half
     * is odd.
     */
    public static final int JUST_BELOW_HALF = 0x7fff;

    public static final int UPPER = 0xffff_0000;

    private static final int PAIRS = Block.BYTES / Integer.BYTES;

    private final int[] pairs = new int[PAIRS];
    private final int[] words = new int[PAIRS];
    private final float[] leftLower = new float[PAIRS];
    private final float[] leftUpper = new float[PAIRS];
    private final float[] rightLower = new float[PAIRS];
    private final float[] rightUpper = new float[PAIRS];
    private final MemorySegment pairsMemory = MemorySegment.ofArray(pairs);
    private final MemorySegment wordsMemory = MemorySegment.ofArray(words);

    @Override
    public int elementBytes() {
        return Short.BYTES;
    }

    @Override
    public int elementsMax() {
        return 2 * PAIRS;
    }

    @Override
    public void setLeft(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, offset, pairsMemory, 0, (long) n * Short.BYTES);
        split(leftLower, leftUpper, pairs(n));
    }

    @Override
    public void setRight(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, offset, pairsMemory, 0, (long) n * Short.BYTES);
        split(rightLower, rightUpper, pairs(n));
    }

    @Override
    public void combine(ReduceOp op, int n) {
        ArrayBlock.combine(op, leftLower, rightLower, pairs(n));
        ArrayBlock.combine(op, leftUpper, rightUpper, pairs(n));
    }

    @Override
    public void divide(int divisor, int n) {
        ArrayBlock.divide(leftLower, pairs(n), divisor);
        ArrayBlock.divide(leftUpper, pairs(n), divisor);
    }

    @Override
    public void store(MemorySegment memory, long offset, int n) {
        join(pairs(n));
        MemorySegment.copy(pairsMemory, 0, memory, offset, (long) n * Short.BYTES);
    }

    /** With an odd number the last pair holds one old value, which is never stored. */
    private static int pairs(int n) {
        return (n + 1) / 2;
    }

    private void split(float[] lower, float[] upper, int n) {
        for (int i = 0; i < n; i++) {
            words[i] = pairs[i] << Short.SIZE;
        }
        MemorySegment.copy(wordsMemory, ValueLayout.JAVA_FLOAT, 0, lower, 0, n);
        for (int i = 0; i < n; i++) {
            words[i] = pairs[i] & UPPER;
        }
        MemorySegment.copy(wordsMemory, ValueLayout.JAVA_FLOAT, 0, upper, 0, n);
    }

    private void join(int n) {
        MemorySegment.copy(leftLower, 0, wordsMemory, ValueLayout.JAVA_FLOAT, 0, n);
        for (int i = 0; i < n; i++) {
            pairs[i] = rounded(words[i]) >>> Short.SIZE;
        }
        MemorySegment.copy(leftUpper, 0, wordsMemory, ValueLayout.JAVA_FLOAT, 0, n);
        for (int i = 0; i < n; i++) {
            pairs[i] |= rounded(words[i]) & UPPER;
        }
    }

    /**
     * Rounds so that the upper half is the nearest bfloat16, ties to even. A NaN must have a lower half of zeros, as those of bfloat16
     * operands and of processors have, or it could become infinite.
     */
    static int rounded(int word) {
        return word + JUST_BELOW_HALF + ((word >>> Short.SIZE) & 1);
    }
}
