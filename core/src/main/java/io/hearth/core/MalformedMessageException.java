package io.hearth.core;

/** Bytes from outside that break the wire rules. They never reach a machine, and the link that brought them closes. */
public class MalformedMessageException extends HearthException {
    private static final long serialVersionUID = 1L;

    public MalformedMessageException(String message) {
        super(message);
    }

    public MalformedMessageException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 7;
    }
}
