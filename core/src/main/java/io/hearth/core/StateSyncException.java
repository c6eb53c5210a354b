package io.hearth.core;

/**
 * This member could not take over the state that its group shares. It leaves the group, and the others continue without it. The message
 * names what is missing or differs. State that arrived is kept: the next call requests only the rest.
 */
public final class StateSyncException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public StateSyncException(String message) {
        super(message);
    }

    public StateSyncException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 13;
    }
}
