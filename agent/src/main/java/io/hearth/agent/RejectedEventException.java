package io.hearth.agent;

/**
 * A machine threw while it was given an event, so it still has the state of before that event, and no effect of it was carried out.
 * The cause is what it threw. What an effect throws is none of these: then the node and its state may differ.
 */
final class RejectedEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param cause a RuntimeException or an AssertionError */
    RejectedEventException(Throwable cause) {
        super(cause);
    }
}
