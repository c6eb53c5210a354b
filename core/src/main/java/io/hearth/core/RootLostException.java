package io.hearth.core;

/** The source of the data was lost before all ranks held its bytes; all ranks get this for the same call, and may begin it again. */
public class RootLostException extends PeerLostException {
    private static final long serialVersionUID = 1L;

    public RootLostException(String message) {
        super(message);
    }

    public RootLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
