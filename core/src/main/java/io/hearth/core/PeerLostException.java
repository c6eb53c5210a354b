package io.hearth.core;

/** A peer was lost, and the loss policy forbids continuing without it. */
public class PeerLostException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public PeerLostException(String message) {
        super(message);
    }

    public PeerLostException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 10;
    }
}
