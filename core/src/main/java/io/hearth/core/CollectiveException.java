package io.hearth.core;

/**
 * A collective ended without a result for this rank. The subclass says what to do. After a {@link ReenterableException}, the caller calls
 * {@code beginStep()}. All ranks get the same {@link PeerLostException} or {@link CollectiveMismatchException}. Any other one ends this
 * rank's training; its message names the cause.
 */
public class CollectiveException extends HearthException {
    private static final long serialVersionUID = 1L;

    public CollectiveException(String message) {
        super(message);
    }

    public CollectiveException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 2;
    }
}
