package io.hearth.collective;

import io.hearth.core.CollectiveException;

/**
 * A collective that was begun and runs on its own. Its buffers belong to it until it has ended: reading or writing them before
 * gives anything. Several may be on their way; they end in the order in which they were begun.
 */
public interface Work {
    /** Whether it ended, one way or the other. */
    boolean isDone();

    /**
     * Waits for its end.
     *
     * @throws CollectiveException no result; the buffers are as they were. The same each time
     * @throws InterruptedException this thread was interrupted; the work goes on
     */
    CollectiveResult await() throws CollectiveException, InterruptedException;
}
