package io.hearth.bench;

import java.lang.foreign.MemorySegment;

/**
 * The error of a sum.
 *
 * @param relativeL2 norm of the error divided by the norm of the exact sum
 * @param bias mean error divided by the mean magnitude of the exact sum: it shows whether the errors have a direction
 */
record SumError(double relativeL2, double bias) {
    /**
     * Compares a sum with the exact one.
     *
     * @param sum float32
     * @param exact the same number of values
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
