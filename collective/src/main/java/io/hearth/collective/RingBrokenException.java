package io.hearth.collective;

import io.hearth.identity.NodeId;
import java.io.IOException;

/** A stream of the ring ended or carried what it must not; names the neighbour at its other end. */
final class RingBrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient NodeId peer;

    RingBrokenException(NodeId peer, String message, Throwable cause) {
        super(message, cause);
        this.peer = peer;
    }

    RingBrokenException(NodeId peer, String message) {
        super(message);
        this.peer = peer;
    }

    NodeId peer() {
        return peer;
    }
}
