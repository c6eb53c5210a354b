package io.hearth.coordinator;

/** An average, a barrier or a broadcast failed; the message says what, why, and what to do. */
public final class ExchangeException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why it failed. */
    public enum Reason {
        /** Workers called with different names, shapes or roots. */
        MISMATCH,
        /** Some worker did not come in time. */
        TIMEOUT,
        /** A worker left, came, or was taken off the list meanwhile; calls after it are of the new workers. */
        WORKERS_CHANGED,
        /** There is no way to a worker. */
        UNREACHABLE,
        /** More tensors or values than a call takes. */
        TOO_LARGE,
        /** This worker is closed or has not started. */
        CLOSED,
        /** A worker's call was refused: by its certificate, or by a fault that its log has. */
        REFUSED
    }

    private final Reason reason;

    public ExchangeException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public ExchangeException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
