package io.hearth.core;

/** Ranks called different collectives under one call number; the message names the collective of each rank. */
public class CollectiveMismatchException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public CollectiveMismatchException(String message) {
        super(message);
    }

    public CollectiveMismatchException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 3;
    }
}
