package io.hearth.core;

/** Fewer peers than asked for were there in time; the message names who is there and who was refused. */
public class NotEnoughPeersException extends HearthException {
    private static final long serialVersionUID = 1L;

    public NotEnoughPeersException(String message) {
        super(message);
    }

    public NotEnoughPeersException(String message, Throwable cause) {
        super(message, cause);
    }
}
