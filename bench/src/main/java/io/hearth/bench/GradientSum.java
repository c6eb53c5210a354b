package io.hearth.bench;

import io.hearth.compression.NonFiniteException;

/** Averages the gradients of several nodes, one call for each step, and counts the bytes that this takes. */
interface GradientSum extends AutoCloseable {
    /**
     * Replaces every node's gradient by the mean over all of them, as far as the compression carries it.
     *
     * @param gradients an array for each node, by rank, each as long as the model has parameters; written: all end with the same bits
     * @throws NonFiniteException if the compression cannot carry a value; the arrays are unchanged, and no further call is allowed
     */
    void mean(float[][] gradients) throws NonFiniteException;

    /** What the calls up to now have sent. */
    Traffic traffic();

    @Override
    void close();
}
