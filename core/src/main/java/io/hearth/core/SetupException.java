package io.hearth.core;

/** A file, a permission, a port or an option of this machine prevents the operation; the message names the remedy. */
public class SetupException extends HearthException {
    private static final long serialVersionUID = 1L;

    public SetupException(String message) {
        super(message);
    }

    public SetupException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 12;
    }
}
