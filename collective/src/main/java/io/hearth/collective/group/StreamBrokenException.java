package io.hearth.collective.group;

import io.hearth.identity.NodeId;
import java.io.IOException;

/** A stream of the mesh ended or carried invalid records; names the member at its other end. */
public final class StreamBrokenException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient NodeId peer;

    public StreamBrokenException(NodeId peer, String message, Throwable cause) {
        super(message, cause);
        this.peer = peer;
    }

    public StreamBrokenException(NodeId peer, String message) {
        super(message);
        this.peer = peer;
    }

    public NodeId peer() {
        return peer;
    }
}
