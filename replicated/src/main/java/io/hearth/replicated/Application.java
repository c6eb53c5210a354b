package io.hearth.replicated;

import io.hearth.core.Bytes;

/**
 * What commands do to the state. All methods are pure: the same inputs give the same outputs on every machine and in every later version
 * that reads the same log.
 *
 * @param <S> the state, an immutable value
 */
public interface Application<S> {
    /** Upper bound of an encoded state, in bytes. */
    int STATE_BYTES_MAX = 16 * 1024 * 1024;

    /**
     * The outcome of a command.
     *
     * @param answer for the caller; at most {@link Content#COMMAND_BYTES_MAX} bytes
     */
    record Outcome<S>(S state, Bytes answer) {}

    /** The state of a new store. */
    S empty();

    /** Applies a command; never throws, whatever its bytes are. */
    Outcome<S> apply(S state, Bytes command);

    /** Joins the states of two stores that met; {@code worse} is the final state of the one that ended. */
    S merge(S better, S worse);

    /** At most {@link #STATE_BYTES_MAX} bytes: commands that would exceed it must be answered with an error. */
    Bytes encode(S state);

    /**
     * The opposite of {@link #encode}.
     *
     * @throws IllegalArgumentException if the bytes are no such state
     */
    S decode(Bytes bytes);
}
