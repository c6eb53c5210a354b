package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A data stream could not be opened or is broken. It names the peer, so that callers can report it. */
public final class StreamException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    public enum Cause {
        /** There was no link, or no stream in time. */
        NOT_OPENED,
        /** The connection ended before the peer's last record. */
        CUT,
        /** The bytes are not those that the peer sent, or not in its order. */
        FORGED,
        /** The link to the peer ended, and its streams with it. */
        LINK_LOST,
        /** This node closed the stream. */
        CLOSED
    }

    private final transient NodeId peer;
    private final Cause kind;

    public StreamException(NodeId peer, Cause kind, String why) {
        this(peer, kind, why, null);
    }

    public StreamException(NodeId peer, Cause kind, String why, @Nullable Throwable cause) {
        super("stream with " + peer.shortText() + ": " + why, cause);
        this.peer = peer;
        this.kind = kind;
    }

    /** The node that is, or should be, at the other end. */
    public NodeId peer() {
        return peer;
    }

    /** The kind of failure. */
    public Cause kind() {
        return kind;
    }
}
