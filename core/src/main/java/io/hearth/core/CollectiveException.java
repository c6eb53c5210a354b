package io.hearth.core;

/** A collective ended without a result for this member. */
public class CollectiveException extends HearthException {
    private static final long serialVersionUID = 1L;

    public CollectiveException(String message) {
        super(message);
    }

    public CollectiveException(String message, Throwable cause) {
        super(message, cause);
    }
}
