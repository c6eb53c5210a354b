package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import java.util.Optional;

/** The call of another worker, which waits for this one to come to the same round. */
interface Arrival {
    /**
     * A round.
     *
     * @param world of the workers
     * @param number in that world, from 1
     * @param name of what is broadcast; else empty
     */
    record Round(long world, long number, String name) {}

    /** Empty if the caller does not know of rounds: then it comes to the next one. */
    Optional<Round> round();

    /** Of the caller; -1 if it does not say. */
    int rank();

    /** Bytes that it takes while it waits. */
    int bytes();

    /** Ends the call. */
    void fail(ExchangeException why);
}
