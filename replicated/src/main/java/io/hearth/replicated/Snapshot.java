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
    /** Upper bound of the state, in bytes. */
    public static final int BYTES_MAX = 16 * 1024 * 1024;

    public Snapshot {
        if (state.size() > BYTES_MAX) {
            throw new IllegalArgumentException("a snapshot has at most " + BYTES_MAX + " bytes, got " + state.size());
        }
    }
}
