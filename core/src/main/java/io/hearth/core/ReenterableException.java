package io.hearth.core;

/**
 * This rank has no result, and calling {@code beginStep()} is a right answer: it takes the rank back into its group. What the rank
 * computed since its last step began does not count. Catch this type around a step, and begin the next one:
 *
 * <pre>{@code
 * try {
 *     trainOneStep(cluster);
 * } catch (ReenterableException outside) {
 *     log(outside.getMessage());
 * }
 * step = cluster.beginStep();
 * }</pre>
 *
 * <p>Every other {@link CollectiveException} was given to all ranks alike, or ends this rank's training.
 */
public abstract sealed class ReenterableException extends CollectiveException
        permits DeadlineExceededException,
                LeftGroupException,
                LineageLostException,
                RemovedFromClusterException,
                StateSyncException {
    private static final long serialVersionUID = 1L;

    ReenterableException(String message) {
        super(message);
    }

    ReenterableException(String message, Throwable cause) {
        super(message, cause);
    }
}
