package io.hearth.bench;

import io.hearth.compression.NonFiniteException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A way for the vectors of several nodes to become their mean: which bytes go from whom to whom. */
sealed interface VectorMean extends AutoCloseable permits ShareSum, GatherSum, LowRankSum {
    /**
     * Replaces each vector by the mean.
     *
     * @param vectors native memory, float32, one for each node by rank, all of the length given at first; written
     */
    void mean(List<MemorySegment> vectors) throws NonFiniteException;

    @Override
    void close();
}
