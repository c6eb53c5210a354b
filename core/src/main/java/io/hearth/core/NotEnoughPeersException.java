package io.hearth.core;

/** Fewer peers than required were there in time; the message names the peers that are there and those that were rejected. */
public class NotEnoughPeersException extends HearthException {
    private static final long serialVersionUID = 1L;

    public NotEnoughPeersException(String message) {
        super(message);
    }

    public NotEnoughPeersException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 8;
    }
}
