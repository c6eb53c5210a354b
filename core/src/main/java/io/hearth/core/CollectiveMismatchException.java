package io.hearth.core;

/** Ranks called different collectives under one number; the message says which rank asked for what. */
public class CollectiveMismatchException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public CollectiveMismatchException(String message) {
        super(message);
    }

    public CollectiveMismatchException(String message, Throwable cause) {
        super(message, cause);
    }
}
