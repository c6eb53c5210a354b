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

    /**
     * The number of this kind of failure, 1 or more, for programs in other languages. It never changes, and no number is used again: 1 is a
     * failure without a number of its own; 14 is {@code NonFiniteException} of the compression; the others belong to the subclasses in this
     * package.
     */
    public int number() {
        return 1;
    }
}
