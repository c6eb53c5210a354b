package io.hearth.core;

/**
 * A failure outside the program that the caller can handle. The message is one line: the failure, the values seen, the remedy. Mistakes of
 * the caller are {@link IllegalArgumentException} or {@link IllegalStateException} instead.
 */
public class HearthException extends Exception {
    private static final long serialVersionUID = 1L;

    public HearthException(String message) {
        super(message);
    }

    public HearthException(String message, Throwable cause) {
        super(message, cause);
    }
}
