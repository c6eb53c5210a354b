package io.hearth.core;

/**
 * This rank was given an error that the others of its group were not given, such as an interrupt in the middle of a call, and so it
 * left the group.
 */
public final class LeftGroupException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public LeftGroupException(String message) {
        super(message);
    }

    public LeftGroupException(String message, Throwable cause) {
        super(message, cause);
    }
}
