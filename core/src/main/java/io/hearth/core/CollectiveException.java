package io.hearth.core;

/**
 * A collective ended without a result for this rank. The subclass says what to do: a {@link ReenterableException} is answered by
 * {@code beginStep()}; {@link PeerLostException} and {@link CollectiveMismatchException} come to all ranks alike; any other one
 * says in its message what was wrong, and ends this rank's training.
 */
public class CollectiveException extends HearthException {
    private static final long serialVersionUID = 1L;

    public CollectiveException(String message) {
        super(message);
    }

    public CollectiveException(String message, Throwable cause) {
        super(message, cause);
    }
}
