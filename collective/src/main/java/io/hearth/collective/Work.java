package io.hearth.collective;

import io.hearth.core.CollectiveException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A collective that runs in the background. Its buffers belong to it until it has ended; before that, their content is undefined, and the
 * caller must not write them.
 *
 * <p>Up to 64 may be open; beginning one more waits for the first to end. They run one after the other, in the order in which they were
 * begun, on one thread of the backend; a small sum through shared memory runs on the beginning thread as far as it need not wait for other
 * ranks, and a trace then hears of it there. They overlap the caller's own computation, but not each other. The deadline of each counts from when
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

    /**
     * As {@link #await()}, for a limited time.
     *
     * @param longest zero or less does not wait
     * @return the result; empty if it has not ended in that time, and it goes on
     */
    Optional<CollectiveResult> await(Duration longest) throws CollectiveException, InterruptedException;

    /**
     * Its end, for callbacks. A callback without an executor of its own may run on the thread of the collectives, and delays those after
     * this one: it must be short, and it must not begin a collective or wait for one.
     *
     * @return completes with the result, or with the exception that {@link #await()} throws
     */
    CompletionStage<CollectiveResult> completion();
}
