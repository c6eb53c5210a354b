package io.hearth.core;

/** This rank left its group, because it got an error that the other ranks did not get, such as an interrupt in the middle of a call. */
public final class LeftGroupException extends ReenterableException {
    private static final long serialVersionUID = 1L;

    public LeftGroupException(String message) {
        super(message);
    }

    public LeftGroupException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int number() {
        return 5;
    }
}
