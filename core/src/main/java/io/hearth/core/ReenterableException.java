package io.hearth.core;

/**
 * This rank has no result. The caller may call {@code beginStep()}, which takes the rank back into its group. The work since its last step
 * began is discarded. Catch this type around a step, and begin the next one:
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
 * <p>All ranks get the same {@link CollectiveException} of any other type, or it ends this rank's training.
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
