package io.hearth.core;

/**
 * This member could not take over the state that its group shares; it leaves the group, and the others go on without it. The
 * message says what was missing or what differs. What arrived is kept: calling again asks only for the rest.
 */
public final class StateSyncException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public StateSyncException(String message) {
        super(message);
    }

    public StateSyncException(String message, Throwable cause) {
        super(message, cause);
    }
}
