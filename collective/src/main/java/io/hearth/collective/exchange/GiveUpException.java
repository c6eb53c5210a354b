package io.hearth.collective.exchange;

import io.hearth.core.CollectiveException;
import java.io.IOException;

/** Ends an attempt on this rank, which then ends its call and leaves the group; the streams are intact. */
public final class GiveUpException extends IOException {
    private static final long serialVersionUID = 1L;

    private final CollectiveException error;

    public GiveUpException(CollectiveException error) {
        super(error.getMessage(), error);
        this.error = error;
    }

    /** The error for the application. */
    public CollectiveException error() {
        return error;
    }
}
