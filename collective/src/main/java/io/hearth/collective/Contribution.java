package io.hearth.collective;

import java.io.IOException;
import java.util.Optional;

/** How one call's bytes travel: plain, broadcast, or encoded. Each attempt starts from the untouched input. */
interface Contribution {
    /** What one attempt needs. */
    record Place(Exchange exchange, Ring ring, int segmentBytes, Call call) {}

    /**
     * Runs one attempt on the calling thread.
     *
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException the ring is broken or abandoned
     */
    Optional<Refusal> attempt(Place place) throws IOException;

    /** The number is done: keep what the next call needs to know of it. */
    default void commit() {}

    /** The number runs again or ended without a result. */
    default void rollBack() {}

    /** Payload bytes that this rank would send on a ring for this uncompressed; 0 for what carries no gradients. */
    default long denseBytes(Signature signature, Ring ring, int segmentBytes) {
        return new RingSchedule(
                        ring.position(),
                        ring.world(),
                        signature.count(),
                        signature.type().bytes(),
                        segmentBytes)
                .bytesSent();
    }
}
