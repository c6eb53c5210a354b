package io.hearth.core;

/** A peer was lost and the policy is not to go on without it. */
public class PeerLostException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public PeerLostException(String message) {
        super(message);
    }

    public PeerLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
