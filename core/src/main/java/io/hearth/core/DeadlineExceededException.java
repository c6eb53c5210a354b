package io.hearth.core;

/** A collective did not complete before its deadline; this member leaves its group. */
public class DeadlineExceededException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public DeadlineExceededException(String message) {
        super(message);
    }

    public DeadlineExceededException(String message, Throwable cause) {
        super(message, cause);
    }
}
