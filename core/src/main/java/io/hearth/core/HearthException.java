package io.hearth.core;

/**
 * Something in the world went wrong that the caller can act on. The message is one line: what failed, the values seen, what
 * to do. Mistakes of the caller are {@link IllegalArgumentException} or {@link IllegalStateException} instead.
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
