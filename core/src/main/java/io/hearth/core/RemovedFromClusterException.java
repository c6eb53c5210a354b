package io.hearth.core;

/** The other nodes continued without this node; results that it returned since its last finished step are provisional. */
public final class RemovedFromClusterException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public RemovedFromClusterException(String message) {
        super(message);
    }

    public RemovedFromClusterException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 11;
    }
}
