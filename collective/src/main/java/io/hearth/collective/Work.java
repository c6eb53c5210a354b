package io.hearth.collective;

import io.hearth.core.CollectiveException;

/**
 * A collective that runs in the background. Its buffers belong to it until it has ended; before that, their content is undefined, and the
 * caller must not write them.
 *
 * <p>Up to 64 may be open; beginning one more waits for the first to end. They run one after the other, in the order in which they were
 * begun, on one thread of the backend. They overlap the caller's own computation, but not each other. The deadline of each counts from when
 * it begins to run; the deadline of a blocking call after them counts from that call. A collective that fails on all ranks does not affect
 * the later ones. One that fails on this rank alone, such as at its deadline, ends them too, because this rank leaves its group.
 */
public interface Work {
    /** Whether it has ended, with a result or an error. */
    boolean isDone();

    /**
     * Waits for its end.
     *
     * @throws CollectiveException no result; the buffers are as they were. Each call throws the same
     * @throws InterruptedException this thread was interrupted; the work goes on
     * @throws IllegalStateException it has not ended, and it needs this thread: this is a callback of a collective
     */
    CollectiveResult await() throws CollectiveException, InterruptedException;
}
