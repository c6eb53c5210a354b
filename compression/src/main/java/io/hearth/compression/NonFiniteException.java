package io.hearth.compression;

import io.hearth.core.CollectiveException;

/** A gradient holds NaN or infinity and the chosen codec cannot carry it; says where the first one is. */
public final class NonFiniteException extends CollectiveException {
    private static final long serialVersionUID = 1L;

    public NonFiniteException(String message) {
        super(message);
    }
}
