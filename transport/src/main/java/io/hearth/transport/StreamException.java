package io.hearth.transport;

import io.hearth.identity.NodeId;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A data stream could not be opened or is broken; names the peer, so that its users can say whom they wait for. */
public final class StreamException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public enum Cause {
        /** No link, or no stream over it in time. */
        NOT_OPENED,
        /** The connection ended without the peer's word that this was the end. */
        CUT,
        /** The bytes are not what the peer sent, or not in the order in which it sent them. */
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

    /** Who is, or should be, at the other end. */
    public NodeId peer() {
        return peer;
    }

    /** What went wrong. */
    public Cause kind() {
        return kind;
    }
}
