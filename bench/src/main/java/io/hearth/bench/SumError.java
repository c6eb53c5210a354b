package io.hearth.bench;

import java.lang.foreign.MemorySegment;

/**
 * How far a sum is from the exact one.
 *
 * @param relativeL2 norm of the error over norm of the exact sum
 * @param bias mean error over mean magnitude of the exact sum: whether errors have a direction
 */
record SumError(double relativeL2, double bias) {
    /**
     * Compares.
     *
     * @param sum float32
     * @param exact as many values
     */
    static SumError of(MemorySegment sum, double[] exact) {
        double squares = 0;
        double norm = 0;
        double errors = 0;
        double magnitudes = 0;
        for (int i = 0; i < exact.length; i++) {
            double error = sum.get(Distribution.FLOAT, (long) i * Float.BYTES) - exact[i];
            squares += error * error;
            norm += exact[i] * exact[i];
            errors += error;
            magnitudes += Math.abs(exact[i]);
        }
        return new SumError(Math.sqrt(squares / norm), errors / magnitudes);
    }
}
