package io.hearth.core;

/** The others went on without this node; what it returned since its last finished step is provisional. */
public final class RemovedFromClusterException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public RemovedFromClusterException(String message) {
        super(message);
    }

    public RemovedFromClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
