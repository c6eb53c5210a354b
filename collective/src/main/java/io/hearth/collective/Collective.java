package io.hearth.collective;

import io.hearth.core.CollectiveException;

/**
 * A call that runs later, in its turn, on the thread of the collectives. It makes one call and returns its result.
 *
 * @param <R> what it calls: a {@link DistributedContext} or a {@link DistributedBackend}
 */
@FunctionalInterface
public interface Collective<R> {
    /**
     * Makes the call.
     *
     * @param ranks for this thread, until this method returns
     */
    CollectiveResult on(R ranks) throws CollectiveException;
}
