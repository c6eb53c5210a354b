package io.hearth.agent.loop;

/**
 * A machine threw while it handled an event. Its state is that before the event, and no effect was carried out. The cause is the machine's
 * exception. An exception of an effect is not wrapped: then part of the step is done.
 */
public final class RejectedEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param cause a RuntimeException or an AssertionError */
    public RejectedEventException(Throwable cause) {
        super(cause);
    }
}
