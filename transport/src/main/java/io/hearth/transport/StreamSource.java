package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import java.time.Duration;

/** Opens data streams. Both ends ask for the same stream; the implementation decides which end dials. */
public interface StreamSource {
    /**
     * Opens this node's end of the one stream {@code id} to {@code peer}, and waits until the peer has asked for its end. For platform
     * threads, like the stream.
     *
     * @param timeout positive; the longest wait
     * @throws IOException there is no link to the peer, the peer did not ask in time, or the connection failed; calling again is safe
     */
    DataStream open(NodeId peer, StreamId id, Duration timeout) throws IOException, InterruptedException;

    /**
     * Releases the last record that the calling thread received from any stream. A thread must call this if it ends or may not receive
     * again for long, because shared memory stays mapped while a thread may read the record.
     */
    default void endLoan() {
        // nothing to release: the record was a copy
    }
}
