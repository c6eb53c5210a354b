package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.time.Duration;

/** Where data streams come from. Both ends ask for the same stream; who dials is settled below. */
public interface StreamSource {
    /**
     * Opens this node's end of the one stream {@code id} to {@code peer}, and waits until the peer has asked for its end. For
     * platform threads, as the stream is.
     *
     * @param timeout positive; the longest wait
     * @throws IOException there is no link to the peer, the peer did not ask in time, or the connection failed; asking again
     *     is safe
     */
    DataStream open(NodeId peer, StreamId id, Duration timeout) throws IOException, InterruptedException;

    /**
     * The calling thread has no more use for the record that it was shown last, from whichever stream. A thread that ends, or that
     * may not receive again for long, says so: shared memory stays mapped while anybody may look at it.
     */
    default void endLoan() {
        // what is copied was never lent
    }
}
