package io.hearth.accel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A 16-bit float format: its bits in {@code short}, its exact values in {@code float}. */
sealed interface HalfFormat {
    /** Exact. */
    void widen(short[] bits, float[] values, int n);

    /** Round to nearest, ties to even; beyond the largest finite value to infinity; NaN stays NaN. */
    void narrow(float[] values, short[] bits, int n);

    /** IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
    record Float16() implements HalfFormat {
        @Override
        public void widen(short[] bits, float[] values, int n) {
            for (int i = 0; i < n; i++) {
                values[i] = Float.float16ToFloat(bits[i]);
            }
        }

        @Override
        public void narrow(float[] values, short[] bits, int n) {
            for (int i = 0; i < n; i++) {
                bits[i] = Float.floatToFloat16(values[i]);
            }
        }
    }

    /**
     * The upper half of a float32: 8 bits of exponent, 7 of fraction.
     *
     * <p>Bits and values change places by a copy of the whole block, because C2 does not turn {@link Float#intBitsToFloat} in a
     * loop into vector code (15 times slower).
     */
    final class Bfloat16 implements HalfFormat {
        /** Added to the lower half, carries into the upper one if that is nearer; one more if a tie must go up to even. */
        static final int JUST_BELOW_HALF = 0x7fff;

        private final int[] words;
        private final MemorySegment wordsMemory;

        /** For blocks of at most {@code blockMax} values. */
        Bfloat16(int blockMax) {
            words = new int[blockMax];
            wordsMemory = MemorySegment.ofArray(words);
        }

        @Override
        public void widen(short[] bits, float[] values, int n) {
            for (int i = 0; i < n; i++) {
                words[i] = bits[i] << Short.SIZE;
            }
            MemorySegment.copy(wordsMemory, ValueLayout.JAVA_FLOAT, 0, values, 0, n);
        }

        /** A NaN cannot be carried into infinity: it is an operand's or the processor's own, whose lower halves are zero. */
        @Override
        public void narrow(float[] values, short[] bits, int n) {
            MemorySegment.copy(values, 0, wordsMemory, ValueLayout.JAVA_FLOAT, 0, n);
            for (int i = 0; i < n; i++) {
                int word = words[i];
                bits[i] = (short) ((word + JUST_BELOW_HALF + ((word >>> Short.SIZE) & 1)) >>> Short.SIZE);
            }
        }
    }
}
