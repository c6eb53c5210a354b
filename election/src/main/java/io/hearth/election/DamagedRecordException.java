package io.hearth.election;

import io.hearth.core.HearthException;

/**
 * A file that should hold a {@link LineageRecord} is damaged. The caller sets it aside and goes on without it; a record that is rebuilt
 * empty could vote twice.
 */
public final class DamagedRecordException extends HearthException {
    private static final long serialVersionUID = 1L;

    public DamagedRecordException(String message) {
        super(message);
    }

    public DamagedRecordException(String message, Throwable cause) {
        super(message, cause);
    }
}
