package io.hearth.collective.exchange;

import io.hearth.core.CollectiveException;
import java.io.IOException;

/** Carries out of an attempt why this rank ends its call and leaves the group; the ring itself is sound. */
public final class GiveUpException extends IOException {
    private static final long serialVersionUID = 1L;

    private final CollectiveException error;

    public GiveUpException(CollectiveException error) {
        super(error.getMessage(), error);
        this.error = error;
    }

    /** For the application. */
    public CollectiveException error() {
        return error;
    }
}
