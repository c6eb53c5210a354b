package io.hearth.collective.exchange;

import java.io.IOException;

/** Ends an attempt for now: it would have to wait for another rank, and may not. The same exchange goes on with it later. */
public final class PausedException extends IOException {
    private static final long serialVersionUID = 1L;

    PausedException() {
        super("waits for another rank");
    }

    /** Records no stack: small calls throw this often, and the caller does not use the stack. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
