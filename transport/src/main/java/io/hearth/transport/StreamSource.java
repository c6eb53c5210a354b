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
}
