package io.hearth.accel;

import io.hearth.core.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * BFLOAT16, the upper half of a float32, in blocks of arrays; combined as float32 and rounded back after each operation.
 *
 * <p>Two values share an int: one becomes a float32 by clearing the other, the other by a shift. Bits and values change places
 * by a copy of the whole block. Both because C2 vectorises neither loops over {@code short} with shifts nor {@link
 * Float#intBitsToFloat}: so it is twice as fast as the plain way.
 */
final class BfloatBlocks implements Kernel {
    /** Added below the kept half, carries into it if up is nearer; one more if a tie must go up to an even value. */
    static final int JUST_BELOW_HALF = 0x7fff;

    static final int UPPER = 0xffff_0000;

    private static final int PAIRS = PortableReducer.BLOCK_BYTES / Integer.BYTES;
    private static final int BLOCK = 2 * PAIRS;

    private final int[] pairs = new int[PAIRS];
    private final int[] words = new int[PAIRS];
    private final float[] leftLower = new float[PAIRS];
    private final float[] leftUpper = new float[PAIRS];
    private final float[] rightLower = new float[PAIRS];
    private final float[] rightUpper = new float[PAIRS];
    private final MemorySegment pairsMemory = MemorySegment.ofArray(pairs);
    private final MemorySegment wordsMemory = MemorySegment.ofArray(words);

    @Override
    public void accumulate(
            ReduceOp op, MemorySegment accumulator, long accumulatorOffset, byte[] input, int inputOffset, int count) {
        for (int done = 0; done < count; done += BLOCK) {
            int n = Math.min(BLOCK, count - done);
            int both = (n + 1) / 2; // the last pair of an odd number is half old bits, which nobody reads
            long at = accumulatorOffset + (long) done * Short.BYTES;
            MemorySegment.copy(
                    input, inputOffset + done * Short.BYTES, pairsMemory, ValueLayout.JAVA_BYTE, 0, n * Short.BYTES);
            split(rightLower, rightUpper, both);
            MemorySegment.copy(accumulator, at, pairsMemory, 0, (long) n * Short.BYTES);
            split(leftLower, leftUpper, both);
            FloatBlocks.combine(op, leftLower, rightLower, both);
            FloatBlocks.combine(op, leftUpper, rightUpper, both);
            join(both);
            MemorySegment.copy(pairsMemory, 0, accumulator, at, (long) n * Short.BYTES);
        }
    }

    @Override
    public void divide(MemorySegment values, long offset, long count, int divisor) {
        for (long done = 0; done < count; done += BLOCK) {
            int n = (int) Math.min(BLOCK, count - done);
            int both = (n + 1) / 2;
            long at = offset + done * Short.BYTES;
            MemorySegment.copy(values, at, pairsMemory, 0, (long) n * Short.BYTES);
            split(leftLower, leftUpper, both);
            FloatBlocks.divide(leftLower, both, divisor);
            FloatBlocks.divide(leftUpper, both, divisor);
            join(both);
            MemorySegment.copy(pairsMemory, 0, values, at, (long) n * Short.BYTES);
        }
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
     * Its upper half is the nearest bfloat16, ties to even. A NaN cannot be carried into infinity: it is an operand's or the
     * processor's own, whose lower halves are zero.
     */
    private static int rounded(int word) {
        return word + JUST_BELOW_HALF + ((word >>> Short.SIZE) & 1);
    }
}
