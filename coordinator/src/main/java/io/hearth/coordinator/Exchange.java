package io.hearth.coordinator;

import java.util.Map;

/** Averages tensors over all workers. Each worker calls with the same names and shapes, in the same order of calls. */
public interface Exchange {
    /**
     * The mean of each tensor over all workers; waits for them.
     *
     * @param tensors by name
     * @return as many tensors, with the same names and shapes
     * @throws ExchangeException if it failed. Then it fails for all workers, though not always with the same text; but if a worker is lost
     *     while the means are sent, some may have them and others not
     */
    Map<String, Tensor> average(Map<String, Tensor> tensors) throws ExchangeException, InterruptedException;
}
