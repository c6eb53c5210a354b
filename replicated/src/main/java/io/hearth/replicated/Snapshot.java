package io.hearth.replicated;

import io.hearth.core.Bytes;

/**
 * The state after an entry, in place of the log up to it.
 *
 * @param at the entry's position
 * @param replicas the newest committed configuration there
 * @param state encoded; at most {@link #BYTES_MAX}
 */
public record Snapshot(Position at, Replicas replicas, Bytes state) {
    /** Upper bound of the state, in bytes: of the application, of another store's that is being absorbed, and of the sessions. */
    public static final int BYTES_MAX = 4 * Application.STATE_BYTES_MAX;

    public Snapshot {
        if (state.size() > BYTES_MAX) {
            throw new IllegalArgumentException("a snapshot has at most " + BYTES_MAX + " bytes, got " + state.size());
        }
    }
}
