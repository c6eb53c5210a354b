package io.hearth.collective;

import io.hearth.core.CollectiveException;

/**
 * A collective that was begun and runs on its own. Its buffers belong to it until it has ended: reading or writing them before
 * gives anything.
 *
 * <p>Up to 64 may be on their way; beginning one more waits for the first to end. They run one after the other, in the order in which they
 * were begun, on one thread of the backend: they overlap what the caller computes meanwhile, but not one another. The deadline of each
 * counts from when it begins to run, while that of a call that comes after them counts from the call. One that fails on all ranks leaves the
 * later ones alone; one that fails here alone, as at its deadline, ends them too, because this rank leaves its group.
 */
public interface Work {
    /** Whether it ended, one way or the other. */
    boolean isDone();

    /**
     * Waits for its end.
     *
     * @throws CollectiveException no result; the buffers are as they were. The same each time
     * @throws InterruptedException this thread was interrupted; the work goes on
     * @throws IllegalStateException it has not ended, and this thread is one that it needs: it is told of a collective
     */
    CollectiveResult await() throws CollectiveException, InterruptedException;
}
